"""The cluster as TensorFlow wants to know it: TF_CONFIG, made of the ranks' addresses."""

from __future__ import annotations

import json
import socket
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ringscope.contracts.training import TrainingSpec

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

VARIABLE = "TF_CONFIG"
_LOOPBACK = "127.0.0.1"
_ADDRESS_BYTES = 320  # a host name has at most 253 characters


def roles(spec: TrainingSpec, ranks: int) -> list[str]:
    """Each rank's: with parameter servers rank 0 hands out the work, and the last ranks hold the parameters."""
    if spec.strategy != "tf_parameter_server":
        return ["worker"] * ranks
    return ["chief", *["worker"] * (ranks - 1 - spec.servers), *["ps"] * spec.servers]


def tf_config(addresses: Sequence[str], roles: Sequence[str], rank: int) -> str:
    """The value of TF_CONFIG for ``rank``: all addresses by their role, and which one is its own."""
    cluster: dict[str, list[str]] = {}
    index = Counter(roles[:rank])[roles[rank]]
    for address, role in zip(addresses, roles, strict=True):
        cluster.setdefault(role, []).append(address)
    return json.dumps({"cluster": cluster, "task": {"type": roles[rank], "index": index}})


def exchange_addresses(comm: Communicator) -> list[str]:
    """Host and a free port of every rank (collective)."""
    host = _LOOPBACK if len(comm.nodes) == 1 else socket.gethostname()
    every = np.zeros((comm.size, _ADDRESS_BYTES), np.int64)
    # Until all ranks have one every port stays taken, so that no two ranks of a node get the same.
    with socket.socket() as taken:
        taken.bind(("", 0))
        address = f"{host}:{taken.getsockname()[1]}".encode()
        every[comm.rank, : len(address)] = list(address)
        every = comm.total(every)
    return [bytes(row[row > 0].tolist()).decode() for row in every]
