"""The URL of a webhook, and the address that it stands for.

A URL that an administrator types makes the server connect to it, from inside its network. So a webhook reaches public
addresses only, and those that the operator allows; every name is resolved here, and the connection goes to the very
address that was looked at.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import httpx

Network = IPv4Network | IPv6Network
# A host name (or address) and a port, to the addresses of it.
Resolve = Callable[[str, int], Awaitable[list[str]]]

RESOLVE_SECONDS = 5.0
EXAMPLE = "https://example.com/hook"
_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?")
_NAT64 = IPv6Network("64:ff9b::/96")
# Every block that IANA's registries of special-purpose addresses list (RFC 6890) and that contains no public IPv6 host.
# Python's ipaddress learns of a new block years later. Below them are two addresses of clouds for their own machines:
# Azure's wire server, and Oracle's metadata, which lies in 192.0.0.0/24.
_SPECIAL = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "2620:4f:8000::/48",
        "3fff::/20",
        "168.63.129.16/32",
    )
)
_GLOBAL_UNICAST = IPv6Network("2000::/3")  # all that IANA gives to hosts of the internet


class ForbiddenAddressError(Exception):
    """The URL leads where no webhook may go, or nowhere; the message is one sentence."""


def check_url(url: str) -> str:
    """The URL itself. Raises ValueError with a sentence when no webhook may have it, wherever it leads. Pure."""
    if not url.isprintable() or re.search(r"[\s\\]", url):
        raise ValueError(f"a URL has no spaces, backslashes or control characters; give one such as {EXAMPLE}.")
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise ValueError(f"this is not a URL; give one such as {EXAMPLE}.") from error
    if parsed.scheme not in ("http", "https"):
        raise ValueError(f"it must begin with https:// or http://; give one such as {EXAMPLE}.")
    if b"@" in parsed.netloc or parsed.userinfo or "@" in url.partition("//")[2].partition("/")[0]:
        raise ValueError("it must not hold a user or password; the signature already says who sends.")
    if parsed.fragment:
        raise ValueError("what follows # is never sent; leave it out.")
    host = parsed.raw_host.decode()
    if not _HOST.fullmatch(host) and not _is_ipv6(host):
        raise ValueError(f"it does not name a host; give one such as {EXAMPLE}.")
    if parsed.port is not None and not 1 <= parsed.port <= 65_535:
        raise ValueError(f"{parsed.port} is no port; give 1 to 65535.")
    return url


def masked(url: str) -> str:
    """The URL without what may be a secret in it: its path and query. Pure."""
    parsed = httpx.URL(url)
    return f"{parsed.scheme}://{parsed.netloc.decode()}/…"


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host name, as this machine sees them. Raises OSError or UnicodeError when it has none."""
    async with asyncio.timeout(RESOLVE_SECONDS):  # its TimeoutError is an OSError
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def addresses_of(url: str, allowed: Sequence[Network], resolver: Resolve = resolve) -> list[str]:
    """Return the addresses of this URL. Raises ForbiddenAddressError if one of them is forbidden."""
    parsed = httpx.URL(url)
    host = parsed.raw_host.decode()
    try:
        found = await resolver(host, parsed.port or (443 if parsed.scheme == "https" else 80))
    except (OSError, UnicodeError):
        found = []
    if not found:
        raise ForbiddenAddressError(f"{host} cannot be resolved; correct the name.")
    for address in found:
        if not is_allowed(address, allowed):
            whose = host if host == str(address) else f"{host} is {address}, which"
            given = ip_address(address)
            raise ForbiddenAddressError(
                f"{whose} is not a public address; choose another, or start the server with "
                f"--webhook-private-addresses {_embedded(given) or given}, or with its network."
            )
    return found


def networks(texts: Sequence[str]) -> list[Network]:
    """Networks such as 10.0.0.0/8, or single addresses. Raises ValueError. Pure."""
    return [ip_network(text, strict=False) for text in texts]


def is_allowed(address: str, allowed: Sequence[Network]) -> bool:
    """Return whether a webhook may connect to this address. Pure."""
    given = ip_address(address)
    target = _embedded(given) or given
    if any(one in network for one in (given, target) for network in allowed):
        return True
    if isinstance(target, IPv6Address) and target not in _GLOBAL_UNICAST:
        return False
    return target.is_global and not any(target in network for network in _SPECIAL)


def _embedded(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 one leads to through a translator or a tunnel."""
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


def _is_ipv6(host: str) -> bool:
    try:
        return isinstance(ip_address(host), IPv6Address)
    except ValueError:
        return False
