"""Exchange an address and a free port of each rank, for libraries that open connections of their own."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import numpy as np

from ringscope.contracts.address import LOOPBACK, Address, parse_address
from ringscope.engine.own_address import own_address

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_ADDRESS_BYTES = 320  # a host name has at most 253 characters


def exchange_addresses(comm: Communicator) -> list[Address]:
    """Return the host and a free port of every rank (collective)."""
    host = LOOPBACK if len(comm.nodes) == 1 else own_address()
    every = np.zeros((comm.size, _ADDRESS_BYTES), np.int64)
    # All ports stay open until all ranks have one, so that no two ranks of a node get the same.
    with socket.socket() as taken:
        taken.bind(("", 0))
        address = str(Address(host, taken.getsockname()[1])).encode()
        every[comm.rank, : len(address)] = list(address)
        every = comm.total(every)
    return [parse_address(bytes(row[row > 0].tolist()).decode()) for row in every]
