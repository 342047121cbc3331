"""The address under which people reach this server. Pure."""

import re
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from starlette.requests import Request

from ringscope.contracts.address import Address, is_loopback
from ringscope_server.settings import Settings

MAX_PATH = 2_000
MAX_PORT = 65_535
FORWARDED = (
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
)  # headers that a proxy adds
_NAME = r"[A-Za-z0-9._~%!$&'()*+,;=-]+"
_ZONE = r"%[A-Za-z0-9._~%-]+"
_HOST = re.compile(rf"(?:{_NAME}|\[(?P<ipv6>[0-9A-Fa-f:.]+)(?:{_ZONE})?\])(?::(?P<port>[0-9]{{0,5}}))?")


def origin(request: Request, settings: Settings) -> str:
    """Return the beginning of a link to this server: the configured URL, else the request's if it is certainly ours.

    The client chooses the Host header, and a link with a secret in it must not lead to another host. So a name is
    accepted only if it is the one on which the server listens, is the address at which the connection arrived, or means
    this machine (localhost) in a request that may come from it: a container's published port and a tunnel have another
    port there. For any other name, and behind a proxy, which replaces the name, the link has the address at which the
    connection arrived.
    """
    if settings.public_url:
        return settings.public_url.rstrip("/")
    address, port = request.scope.get("server") or (settings.host, None)
    named = request.url.hostname or ""
    is_ours = _may_be_here(request) if is_loopback(named) else named in (address, settings.host)
    if request.headers.get("host") and is_ours:
        return str(request.base_url).rstrip("/") + settings.root
    return f"{request.url.scheme}://{Address(address, port or None)}{settings.root}"


def _may_be_here(request: Request) -> bool:
    """Return whether the client is this machine or one of its containers' networks, without a proxy in between."""
    if any(request.headers.get(name) for name in FORWARDED):
        return False
    try:
        return request.client is None or ip_address(request.client.host).is_private
    except ValueError:
        return False


def is_here(request: Request) -> bool:
    """Return whether the client is on this machine: it names localhost, and the connection comes from here.

    Only the second excludes a container's published port, only the first excludes a proxy.
    """
    address = request.client.host if request.client else ""
    return is_loopback(request.url.hostname or "") and is_loopback(address)


def is_host(header: str) -> bool:
    """Return whether this is a valid Host header: a name or address and perhaps a port, or nothing (RFC 9112)."""
    if not header:
        return True
    found = _HOST.fullmatch(header)
    if found is None or int(found["port"] or 0) > MAX_PORT:
        return False
    return found["ipv6"] is None or _is_ipv6(found["ipv6"])


def is_local_path(path: str) -> bool:
    """Return whether a browser that is redirected there stays on this site: the path begins with exactly one slash."""
    # Browsers read a backslash as a slash and skip characters that cannot be printed.
    if not path.startswith("/") or path.startswith(("//", "/\\")) or not path.isprintable() or len(path) > MAX_PATH:
        return False
    parts = urlsplit(path)
    return not parts.scheme and not parts.netloc


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Address(text)
    except ValueError:
        return False
    return True
