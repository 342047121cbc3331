"""A network of shaped links for one measurement, named ``rsbench-PID-…`` after the process that made it.

What a killed run left behind is found by its dead process and removed by the next one.
"""

import os
import re
from pathlib import Path
from types import TracebackType

from ringscope.lab.network import DEVICE, Layout, Link, NetworkError, build, namespaces, remove, require_network

__all__ = ["DEVICE", "Network", "NetworkError", "remove_abandoned", "require_network"]

_PREFIX = "rsbench-"
_OURS = re.compile(rf"^{_PREFIX}(\d+)-")
_SUBNET = "10.213.255"  # joined to nothing outside, so that several may have the same


class Network:
    """``hosts`` hosts behind one switch, each with a full-duplex link of ``rate_bit_per_s``; a context manager."""

    def __init__(self, hosts: int, rate_bit_per_s: int) -> None:
        self._layout = Layout(f"{_PREFIX}{os.getpid()}-", _SUBNET, hosts, Link(rate_bit_per_s))
        self.addresses = self._layout.addresses
        self.payload_bytes_per_s = self._layout.payload_bytes_per_s
        self.inside = self._layout.inside

    def __enter__(self) -> "Network":
        require_network()
        remove_abandoned()
        build(self._layout)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        remove(self._layout.prefix)


def remove_abandoned() -> None:
    """Remove the networks of runs that are no more."""
    for name in namespaces(_PREFIX):
        found = _OURS.match(name)
        if found and not Path("/proc", found[1]).exists():
            remove(found[0])
