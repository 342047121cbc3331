"""Address at which other nodes reach this one: set by its agent, or looked up without an agent.

A host's own name is not enough: many installers map it to 127.0.1.1, which refers to a different machine elsewhere.
"""

import os
import socket

import psutil

from ringscope.contracts.address import Address, is_loopback, parse_address
from ringscope.contracts.rank_process import ADDRESS_VARIABLE

# address of no machine (RFC 5737): nothing is sent to it, it only serves to look up the route
_ANYWHERE = Address("192.0.2.1", 9)


def own_address() -> str:
    """Return the address at which other nodes reach this rank, as a number if it is known.

    The agent's address comes first, then the host's own name, then the network card on the way to other networks.
    """
    given = os.environ.get(ADDRESS_VARIABLE, "")
    if given and is_loopback(given):
        return given  # all nodes are on this machine
    names = (name for name in (given, socket.gethostname()) if name)
    found = (address for name in names for address in addresses_of(name) if not is_loopback(address))
    return next(found, None) or address_towards(_ANYWHERE) or given or socket.gethostname()


def addresses_of(name: str) -> list[str]:
    """Return the addresses of a host as this machine resolves it, IPv4 first; none if it is unknown."""
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    ordered = sorted(found, key=lambda entry: entry[0] != socket.AF_INET)
    return [str(entry[4][0]) for entry in ordered]


def address_towards(other: Address) -> str | None:
    """Return the address from which this machine reaches another one; None if there is no route, or if it is
    loopback.
    """
    for target in addresses_of(other.host):
        family = socket.AF_INET6 if ":" in target else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((target, other.port or _ANYWHERE.port))
            except OSError:
                continue
            address = str(probe.getsockname()[0])
            if not is_loopback(address):
                return address
    return None


def interface_of(address: str) -> str | None:
    """Return the name of this machine's network interface with this address; None if there is none."""
    for name, addresses in psutil.net_if_addrs().items():
        if any(one.address.partition("%")[0] == address.partition("%")[0] for one in addresses):
            return name
    return None


def is_only_here(address: str) -> bool:
    """Return whether a node's address refers only to this machine: it is loopback, or resolves only to loopback
    here.
    """
    host = parse_address(address).host
    found = addresses_of(host)
    return is_loopback(host) or (bool(found) and all(map(is_loopback, found)))
