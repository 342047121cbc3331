"""The bytes that this rank sends during a run, counted by the engine, or for PyTorch's gloo by the kernel."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ringscope.contracts.training import TENSORFLOW
from ringscope.engine.traffic import TRAFFIC

_TORCH = frozenset({"torch_ddp", "torch_fsdp"})
_DESCRIPTORS = Path("/proc/self/fd")
_INFO_BYTES = 256
_SENT_AT, _RETRANSMITTED_AT = 200, 208  # tcpi_bytes_sent and tcpi_bytes_retrans of struct tcp_info, since Linux 4.19

Count = Callable[[], int | None]


class SentBytes:
    """Counts from its creation on. PyTorch closes its connections with the run, so it is read while the run goes on."""

    def __init__(self, strategy: str) -> None:
        self._count = counter(strategy)
        self._begin, self._most = self._count(), 0

    def read(self) -> None:
        """Take note of the bytes so far."""
        now = self._count()
        if now is None or self._begin is None:
            self._begin = None
        else:
            self._most = max(self._most, now - self._begin)

    @property
    def bytes(self) -> int | None:
        """Return the bytes as last noted; None if nobody counts them."""
        return None if self._begin is None else self._most


def counter(strategy: str) -> Count:
    """Return a function that returns the bytes so far, or None where nobody counts them.

    TensorFlow sends in a process of its own, and MPI's collectives move data themselves.
    """
    if strategy in TENSORFLOW:
        return lambda: None
    return socket_bytes if strategy in _TORCH else _engine_bytes()


def socket_bytes() -> int | None:
    """Return the bytes that the kernel has sent on the TCP connections of this process that are open; None: unknown."""
    if not _DESCRIPTORS.is_dir():
        return None
    total = 0
    for descriptor in _DESCRIPTORS.iterdir():
        with suppress(OSError, struct.error):  # no socket, no TCP, or closed in the meantime
            if not descriptor.readlink().name.startswith("socket:"):
                continue
            with socket.socket(fileno=os.dup(int(descriptor.name))) as connection:
                info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
            (sent,), (again,) = (struct.unpack_from("=Q", info, at) for at in (_SENT_AT, _RETRANSMITTED_AT))
            total += sent - again
    return total


def _engine_bytes() -> Count:
    _, calls = TRAFFIC.read()

    def count() -> int | None:
        moved, now = TRAFFIC.read()
        return moved if now == calls else None

    return count
