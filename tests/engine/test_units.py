import pytest

from ringscope.units import format_size, parse_size


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [
        ("0", 0),
        ("8", 8),
        ("8B", 8),
        ("1k", 1024),
        ("64K", 65536),
        ("32M", 32 << 20),
        ("1.5G", 3 << 29),
        ("1 GiB", 1 << 30),
        ("2mb", 2 << 20),
        (" 4M ", 4 << 20),
        (".5K", 512),
    ],
)
def test_parse_size_reads_nccl_tests_notation(text, size_bytes):
    assert parse_size(text) == size_bytes


@pytest.mark.parametrize("text", ["", "abc", "-8", "1T", "8 8", "1e6", "K", "1Kx", "nan"])
def test_parse_size_refuses_anything_else_with_a_sentence(text):
    with pytest.raises(ValueError, match=r"is not a size; write bytes or a number with K, M or G"):
        parse_size(text)


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (3 << 19, "1.5 MiB"), (64 << 20, "64 MiB"), (1 << 30, "1 GiB")],
)
def test_format_size(size_bytes, text):
    assert format_size(size_bytes) == text
    assert parse_size(text) == size_bytes
