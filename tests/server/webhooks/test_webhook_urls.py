"""A webhook's URL must not lead into the network of the server, however it is written."""

import asyncio

import pytest

from ringscope_server import urls
from ringscope_server.__main__ import StartError, read_settings
from ringscope_server.urls import ForbiddenAddressError, addresses_of, check_url, is_allowed, networks


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://example.com/", "must begin with https:// or http://"),
        ("file:///etc/passwd", "must begin with https:// or http://"),
        ("//example.com/", "must begin with https:// or http://"),
        ("example.com", "must begin with https:// or http://"),
        ("https://user:password@example.com/", "must not hold a user or password"),
        ("https://@example.com/", "must not hold a user or password"),
        ("https://example.com/a#b", "what follows # is never sent"),
        ("https:///path", "does not name a host"),
        ("https://a%0ab/", "does not name a host"),
        ("https://exa mple.com/", "no spaces, backslashes or control characters"),
        ("https://example.com/\r\nX-Evil: yes", "no spaces, backslashes or control characters"),
        ("https://example.com\\@127.0.0.1/", "no spaces, backslashes or control characters"),
        ("https://example.com:0/", "0 is no port"),
        ("https://example.com:99999/", "99999 is no port"),
        ("https://example.com:x/", "this is not a URL"),
        ("https://0177.0.0.1/", "this is not a URL"),
    ],
)
def test_a_url_that_no_webhook_may_have_is_refused(url: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check_url(url)


@pytest.mark.parametrize(
    "url", ["https://example.com/hook?key=1", "http://hooks.example.com:8080", "https://exämple.com/", "https://[::1]/"]
)
def test_other_urls_are_taken(url: str) -> None:
    assert check_url(url) == url


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",  # metadata of clouds
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "192.0.0.192",
        "168.63.129.16",
        "::ffff:168.63.129.16",
        "fec0::1",
        "fd00::1",
        "ff0e::1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "::10.0.0.1",
        "64:ff9b::10.0.0.1",  # through NAT64
        "64:ff9b::7f00:1",
        "2002:a00:1::",  # through 6to4
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",  # through Teredo
        "3fff::1",  # documentation, RFC 9637
        "3fff:fff:ffff::1",
        "2001:db8::1",
        "203.0.113.7",
        "192.88.99.1",  # the relay of 6to4, which may stand inside
        "2001:1::1",  # the nearest router's port control
        "64:ff9b:1::1",  # a translator's own network
        "100::1",
        "5f00::1",
        "4000::1",  # given to nobody
    ],
)
def test_no_address_inside_is_reached(address: str) -> None:
    assert not is_allowed(address, [])


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_public_addresses_are_reached(address: str) -> None:
    assert is_allowed(address, [])


def test_what_the_operator_allows_is_reached_and_no_more() -> None:
    allowed = networks(["10.1.0.0/16", "fd00::5"])
    assert is_allowed("10.1.2.3", allowed)
    assert is_allowed("::ffff:10.1.2.3", allowed)
    assert is_allowed("fd00::5", allowed)
    assert not is_allowed("10.2.0.1", allowed)
    assert not is_allowed("fd00::6", allowed)


# Numbers in other forms are addresses to the system's resolver; nothing is looked up in the network for them.
@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f000001", "127.1", "0", "localhost", "[::ffff:127.0.0.1]", "[::1%25lo]"]
)
async def test_other_ways_to_write_this_machine_are_seen_through(host: str) -> None:
    with pytest.raises(ForbiddenAddressError):
        await addresses_of(f"http://{host}/", [])


async def test_one_forbidden_address_forbids_the_name() -> None:
    async def resolver(host: str, port: int) -> list[str]:
        return ["8.8.8.8", "10.0.0.1"]

    with pytest.raises(ForbiddenAddressError, match=r"hook.example.com is 10.0.0.1, which is not a public address"):
        await addresses_of("https://hook.example.com/", [], resolver)


async def test_a_name_that_has_no_address_is_told() -> None:
    for url in ("http://no-such-name.invalid/", "http://a..b/", f"http://{'a' * 70}.com/"):
        with pytest.raises(ForbiddenAddressError, match="cannot be resolved; correct the name"):
            async with asyncio.timeout(60):
                await addresses_of(url, [])


async def test_a_name_server_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hangs(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(urls, "RESOLVE_SECONDS", 0.01)
    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", hangs)
    with pytest.raises(ForbiddenAddressError, match="cannot be resolved"):
        await addresses_of("https://example.com/", [])


@pytest.mark.parametrize("given", ['["10.0.0.0/8", "fd00::/8"]', "10.0.0.0/8, fd00::/8"])
def test_the_setting_is_read_from_flags_and_variables(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    networks = ["10.0.0.0/8", "fd00::/8"]
    assert read_settings(["--webhook-private-addresses", given]).webhook_private_addresses == networks
    monkeypatch.setenv("RINGSCOPE_WEBHOOK_PRIVATE_ADDRESSES", given)
    assert read_settings([]).webhook_private_addresses == networks


@pytest.mark.parametrize("wrong", ["10.0.0.0/33", "intranet", "[", '{"a": 1}', "[1, null]", "[[]]"])
def test_a_setting_that_is_no_network_is_refused_in_a_sentence(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StartError, match="--webhook-private-addresses: give networks with commas between them"):
        read_settings(["--webhook-private-addresses", wrong])
    monkeypatch.setenv("RINGSCOPE_WEBHOOK_PRIVATE_ADDRESSES", wrong)
    with pytest.raises(StartError, match="give networks with commas between them"):
        read_settings([])
