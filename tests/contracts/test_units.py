import json
from pathlib import Path

import pytest

from ringscope.contracts.words.units import format_duration, format_size, parse_duration, parse_rate, parse_size, plural

# The page's tests read the same table, so that a size means the same in a form and on the command line.
EXAMPLES = json.loads((Path(__file__).parents[2] / "frontend/src/lib/sizes.json").read_text())


@pytest.mark.parametrize(("text", "size_bytes"), EXAMPLES["read"].items())
def test_parse_size_tells_decimal_from_binary(text, size_bytes):
    assert parse_size(text) == size_bytes


@pytest.mark.parametrize("text", EXAMPLES["refused"])
def test_parse_size_refuses_anything_else_with_a_sentence(text):
    with pytest.raises(ValueError, match=r"is not a size; write for example 64K or 64KiB \(binary\), 1\.2GB"):
        parse_size(text)


@pytest.mark.parametrize(("size_bytes", "text"), EXAMPLES["written"].items())
def test_format_size(size_bytes, text):
    assert format_size(int(size_bytes)) == text
    assert format_size(int(size_bytes), "64MiB") == text


@pytest.mark.parametrize(("size_bytes", "text"), EXAMPLES["written_decimal"].items())
def test_format_size_keeps_the_decimal_units_that_were_typed(size_bytes, text):
    assert format_size(int(size_bytes), "1.2GB") == text


@pytest.mark.parametrize(
    ("text", "bytes_per_s"),
    [
        ("1GB/s", 1e9),
        ("1 GiB/s", 1 << 30),
        ("10Gbit/s", 1.25e9),
        ("10Gbps", 1.25e9),
        ("10Gb/s", 1.25e9),
        ("10GBps", 1e10),
        ("80Mbit/s", 1e7),
        ("100B/s", 100),
    ],
)
def test_parse_rate_tells_bytes_from_bits(text, bytes_per_s):
    assert parse_rate(text) == bytes_per_s


@pytest.mark.parametrize("text", ["", "1", "1GB", "0GB/s", "-1GB/s", "GB/s", "1GB/min"])
def test_parse_rate_refuses_anything_else(text):
    with pytest.raises(ValueError, match="is not a rate; write for example 1GB/s or 10Gbit/s"):
        parse_rate(text)


@pytest.mark.parametrize(("text", "seconds"), [("5us", 5e-6), ("1.5 ms", 1.5e-3), ("0", 0), ("2s", 2), ("3ns", 3e-9)])
def test_parse_duration(text, seconds):
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "us", "-5us", "5 minutes", "5Us"])
def test_parse_duration_refuses_anything_else(text):
    with pytest.raises(ValueError, match="is not a duration; write for example 5us"):
        parse_duration(text)


def test_one_is_no_plural():
    assert [plural(count, "element") for count in (0, 1, 2)] == ["0 elements", "1 element", "2 elements"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(18_790.0, "18,790 s"), (3600, "3600 s"), (10.8, "10.8 s"), (2.1e-3, "2.1 ms"), (5e-7, "0.5 us")],
)
def test_format_duration_has_no_exponent(seconds, text):
    assert format_duration(seconds) == text
