"""Addresses as people write them: a host name, IPv4 or IPv6, with a port or without one, bare or as a URL. Pure."""

import re
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from ringscope.contracts.words.units import is_whole_number

LOOPBACK = "127.0.0.1"
_MAX_PORT = 65_535
_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?")
_BRACKETS = re.compile(r"\[([^\[\]]*)\](?::(.*))?", re.DOTALL)


class Address(NamedTuple):
    """A host (IPv6 without brackets) and its port, if one was given."""

    host: str
    port: int | None = None

    def __str__(self) -> str:
        """Return the address as in a URL: IPv6 gets brackets."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"


def with_port(text: str) -> str:
    """Return the text if it is an address with a port; ValueError with a sentence if not."""
    if parse_address(text).port is None:
        raise ValueError(f"{text!r} has no port; write it like localhost:28028.")
    return text


def parse_address(text: str) -> Address:
    """Read ``n1``, ``n1:80``, ``10.0.0.1``, ``::1``, ``[::1]:80``, ``fe80::1%eth0`` or ``http://n1:80``.

    A URL without a port gets the default port of its scheme. Raises ValueError with a sentence for anything else.
    """
    if "://" in text:
        return _of_url(text)
    if found := _BRACKETS.fullmatch(text):
        return Address(_ipv6(found[1], text), None if found[2] is None else _port(found[2], text))
    if text.count(":") > 1:
        return Address(_ipv6(text, text))
    host, colon, port = text.partition(":")
    if not _NAME.fullmatch(host):
        raise ValueError(f"{text!r} is not a host name or address; write it like n1 or 10.0.0.1.")
    return Address(host, _port(port, text) if colon else None)


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach the host: localhost, 127.x.y.z or ::1."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped.is_loopback
    return address.is_loopback


def _of_url(url: str) -> Address:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host:
        raise ValueError(f"{url!r} is not the URL of a host; write it like http://127.0.0.1:8000.")
    return Address(host, port if port is not None else _PORTS.get(parts.scheme))


def _ipv6(host: str, text: str) -> str:
    try:
        return host if isinstance(ip_address(host), IPv6Address) else _not_ipv6(text)
    except ValueError:
        return _not_ipv6(text)


def _not_ipv6(text: str) -> str:
    raise ValueError(f"{text!r} is not an address; write IPv6 like ::1, and with a port like [::1]:8000.")


def _port(digits: str, text: str) -> int:
    if not is_whole_number(digits) or int(digits) > _MAX_PORT:
        raise ValueError(f"{text!r} has no port after its colon; give a number from 0 to {_MAX_PORT}.")
    return int(digits)
