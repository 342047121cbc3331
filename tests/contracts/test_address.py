"""One function reads, and one writes, every form of an address that people use."""

import pytest

from ringscope.contracts.address import Address, is_loopback, parse_address


@pytest.mark.parametrize(
    ("text", "host", "port", "written"),
    [
        ("n1", "n1", None, "n1"),
        ("n1.example.org:80", "n1.example.org", 80, "n1.example.org:80"),
        ("10.0.0.1", "10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1:0", "10.0.0.1", 0, "10.0.0.1:0"),
        ("::1", "::1", None, "[::1]"),
        ("[::1]", "::1", None, "[::1]"),
        ("[::1]:8000", "::1", 8000, "[::1]:8000"),
        ("fe80::1%eth0", "fe80::1%eth0", None, "[fe80::1%eth0]"),
        ("[fe80::1%eth0]:9465", "fe80::1%eth0", 9465, "[fe80::1%eth0]:9465"),
        ("http://n1:8000", "n1", 8000, "n1:8000"),
        ("https://[2001:db8::1]/path", "2001:db8::1", 443, "[2001:db8::1]:443"),
        ("http://n1/", "n1", 80, "n1:80"),
    ],
)
def test_every_form_is_read_and_written(text: str, host: str, port: int | None, written: str) -> None:
    assert parse_address(text) == Address(host, port)
    assert str(parse_address(text)) == written
    assert parse_address(written) == Address(host, port)


@pytest.mark.parametrize(
    "text", ["", ":80", "n1:", "n1:x", "n1:70000", "n1:²", "n 1", "a,b", "[n1]:80", "[::1", "::1]:80", "1:2:3", "http://",
             "http://[::1:80", "http://n1:x", "-iface"],
)  # fmt: skip
def test_what_is_none_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"(write|give) .*\.$"):
        parse_address(text)


@pytest.mark.parametrize("host", ["localhost", "a.localhost", "127.0.0.1", "127.0.1.1", "::1", "::ffff:127.0.0.1"])
def test_loopback_is_known_in_every_form(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["n1", "10.0.0.1", "fe80::1%eth0", "2001:db8::1", "localhost.example.org"])
def test_other_addresses_are_not_loopback(host: str) -> None:
    assert not is_loopback(host)
