"""Under which address people reach this server. Pure."""

import re
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from starlette.requests import Request

from ringscope.contracts.address import Address, is_loopback
from ringscope_server.settings import Settings

MAX_PATH = 2_000
MAX_PORT = 65_535
FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto")  # what a proxy adds
_NAME = r"[A-Za-z0-9._~%!$&'()*+,;=-]+"
_ZONE = r"%[A-Za-z0-9._~%-]+"
_HOST = re.compile(rf"(?:{_NAME}|\[(?P<ipv6>[0-9A-Fa-f:.]+)(?:{_ZONE})?\])(?::(?P<port>[0-9]{{0,5}}))?")


def origin(request: Request, settings: Settings) -> str:
    """The beginning of a link to this server: the configured URL, else that of the request where it is surely ours.

    Whoever sends a request chooses its Host, and a link with a secret in it must lead nowhere else. So a name is taken
    only if it is the one that the server listens on, is the address at which the connection arrived, or means this
    machine (localhost) in a request that may come from it: a container's published port and a tunnel have another port
    there. For any other name, and behind a proxy, which writes its own name for us, the link has that address.
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
    """Whether the client is this machine or one of its containers' networks, and no proxy stands between."""
    if any(request.headers.get(name) for name in FORWARDED):
        return False
    try:
        return request.client is None or ip_address(request.client.host).is_private
    except ValueError:
        return False


def is_here(request: Request) -> bool:
    """Whether who asks sits at this machine: it is called localhost, and the connection comes from here.

    Only the second says that it is no container's published port, only the first that it is no proxy's.
    """
    address = request.client.host if request.client else ""
    return is_loopback(request.url.hostname or "") and is_loopback(address)


def is_host(header: str) -> bool:
    """Whether this may be what a Host header says: a name or address and perhaps a port, or nothing (RFC 9112)."""
    if not header:
        return True
    found = _HOST.fullmatch(header)
    if found is None or int(found["port"] or 0) > MAX_PORT:
        return False
    return found["ipv6"] is None or _is_ipv6(found["ipv6"])


def is_local_path(path: str) -> bool:
    """Whether a browser that is led there stays on this site: one slash at its beginning, and no way around it."""
    # Browsers take a backslash for a slash, and pass over what cannot be printed.
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
