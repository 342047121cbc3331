"""NCCL's own report of its network, channels and transports, in a log that this process asks it for."""

from __future__ import annotations

import atexit
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ringscope.nccl_log.reading import read
from ringscope.nccl_log.summary import summary

_LEVEL, _FILE = "NCCL_DEBUG", "NCCL_DEBUG_FILE"


class NcclReport:
    """The log of this process; nothing is told if the environment asks for a log of its own."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._read_bytes = 0
        self._told: str | None = None

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Ask NCCL for the log: its first call in this process, which reads the variables, must be in the block.

        The variables are not left in the environment, which rows and programs are compared by.
        """
        if not {_LEVEL, _FILE}.isdisjoint(os.environ):
            yield
            return
        descriptor, name = tempfile.mkstemp(prefix="ringscope-nccl-", suffix=".log")
        os.close(descriptor)
        self._path = Path(name)
        atexit.register(self._path.unlink, missing_ok=True)
        os.environ |= {_LEVEL: "INFO", _FILE: name.replace("%", "%%")}
        try:
            yield
        finally:
            for variable in (_LEVEL, _FILE):
                os.environ.pop(variable, None)

    @property
    def told(self) -> str | None:
        """Return the line for a row; None if NCCL has said nothing. The log is read again only if it has grown."""
        try:
            size_bytes = self._path.stat().st_size if self._path else 0
            if self._path is not None and size_bytes != self._read_bytes:
                self._read_bytes, self._told = size_bytes, summary(read([self._path.read_bytes()]))
        except OSError:  # somebody removed it; a row is useful without
            self._path = None
        return self._told
