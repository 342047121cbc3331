"""The records of one attempt on disk until the server has them: an append-only file and a cursor.

A record's number is its line number, from 1 on. The file is kept whole until the attempt is clean, so that a server
that lost its last transactions can be given any part again. Written without fsync: it survives the end of the
agent, not of the machine.
"""

import json
import os
from array import array
from pathlib import Path

MAX_BATCH_RECORDS = 1000
MAX_BATCH_BYTES = 1_000_000


class Spool:
    """Numbered records of one attempt; one writer, and one reader that goes by numbers."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "records.jsonl"
        self._cursor_path = folder / "cursor.json"
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        # _ends[n] is where record n ends in the file; _ends[0] is its beginning.
        self._ends = array("Q", [0])
        self._index()
        self._acknowledged = min(self._read_cursor(), self.last_sequence)

    @property
    def last_sequence(self) -> int:
        """Number of the newest record; 0 when there is none."""
        return len(self._ends) - 1

    @property
    def acknowledged(self) -> int:
        """Every record up to this number is with the server."""
        return self._acknowledged

    @property
    def pending_bytes(self) -> int:
        """Bytes that the server does not have yet."""
        return int(self._ends[-1] - self._ends[self._acknowledged])

    def append(self, record: bytes) -> int:
        """Add one record (JSON without a newline) and return its number. Raises OSError when the disk is full."""
        start = self._ends[-1]
        line = record + b"\n"
        try:
            if os.pwrite(self._file, line, start) != len(line):
                raise OSError(f"only a part of a record could be written to {self._path}")
        except OSError:
            os.ftruncate(self._file, start)
            raise
        self._ends.append(start + len(line))
        return self.last_sequence

    def batch(self) -> tuple[int, list[bytes]]:
        """Number of the first record that the server lacks, and as many records as one request should hold."""
        first = self._acknowledged + 1
        start = self._ends[self._acknowledged]
        last = min(self.last_sequence, self._acknowledged + MAX_BATCH_RECORDS)
        while last > first and self._ends[last] - start > MAX_BATCH_BYTES:
            last -= 1
        if last < first:
            return first, []
        block = os.pread(self._file, self._ends[last] - start, start)
        return first, block.split(b"\n")[:-1]

    def acknowledge(self, sequence: int) -> None:
        """The server holds everything up to ``sequence``; a lower number than before means: send again."""
        self._acknowledged = max(0, min(sequence, self.last_sequence))
        temporary = self._cursor_path.with_suffix(".new")
        temporary.write_text(json.dumps({"acknowledged": self._acknowledged}))
        temporary.replace(self._cursor_path)

    def close(self) -> None:
        """Release the file; the folder's owner deletes it."""
        os.close(self._file)

    def _index(self) -> None:
        end = 0
        with self._path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):  # torn by a crash in the middle of a write
                    break
                end += len(line)
                self._ends.append(end)
        os.ftruncate(self._file, end)

    def _read_cursor(self) -> int:
        try:
            return int(json.loads(self._cursor_path.read_text())["acknowledged"])
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return 0  # sending again is harmless: the server goes by numbers
