"""The records of one attempt on disk until the server has them: an append-only file and a cursor.

A record's number is its line number, from 1 on. The file is kept whole until the attempt is clean, so that a server
that lost its last transactions can be given any part again. The shim writes it and the agent reads it, each in its
own process. It is written without fsync: it survives the end of both processes, not of the machine.
"""

import json
import logging
import os
from array import array
from pathlib import Path

from ringscope_agent.files import replace_text

logger = logging.getLogger(__name__)

MAX_BATCH_RECORDS = 1000
MAX_BATCH_BYTES = 1_000_000
READ_BYTES = 1 << 20


class SpoolWriter:
    """Appends whole records; the only writer."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = _records_path(folder)
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._end = self._find_end()
        os.ftruncate(self._file, self._end)

    def append(self, record: bytes) -> None:
        """Append one record (JSON without a newline). Raises OSError if the disk is full."""
        line = record + b"\n"
        try:
            if os.pwrite(self._file, line, self._end) != len(line):
                raise OSError(f"only a part of a record could be written to {self._path}")
        except OSError:
            os.ftruncate(self._file, self._end)
            raise
        self._end += len(line)

    def close(self) -> None:
        """Release the file."""
        os.close(self._file)

    def _find_end(self) -> int:
        """Return the end of the last whole record: a crash may have torn the next one."""
        end = os.fstat(self._file).st_size
        while end > 0:
            start = max(0, end - READ_BYTES)
            if (newline := os.pread(self._file, end - start, start).rfind(b"\n")) >= 0:
                return start + newline + 1
            end = start
        return 0


class SpoolReader:
    """Reads by record numbers and keeps the cursor: the number up to which the server has the records."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._cursor_path = folder / "cursor.json"
        self._file = os.open(_records_path(folder), os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        # _ends[n] is where record n ends in the file; _ends[0] is its beginning.
        self._ends = array("Q", [0])
        self._cursor = self._read_cursor()

    @property
    def last_sequence(self) -> int:
        """The number of the newest record that was read; 0 if there is none."""
        return len(self._ends) - 1

    @property
    def acknowledged(self) -> int:
        """The number up to which the server has every record."""
        return min(self._cursor, self.last_sequence)

    @property
    def pending_bytes(self) -> int:
        """The bytes that the server does not have yet."""
        return int(self._ends[-1] - self._ends[self.acknowledged])

    def read_new(self, max_bytes: int = READ_BYTES) -> list[bytes]:
        """Return whole records that were written since, about ``max_bytes`` at most; empty if there are none."""
        block = os.pread(self._file, max_bytes, self._ends[-1])
        while block and b"\n" not in block:  # a longer record, or one that is being written
            more = os.pread(self._file, max_bytes, self._ends[-1] + len(block))
            if not more:
                return []
            block += more
        lines = block.split(b"\n")[:-1]
        for line in lines:
            self._ends.append(self._ends[-1] + len(line) + 1)
        return lines

    def batch(self, max_records: int = MAX_BATCH_RECORDS) -> tuple[int, list[bytes]]:
        """Return the number of the first record that the server lacks, and the records that fit into one request."""
        acknowledged = self.acknowledged
        first = acknowledged + 1
        start = self._ends[acknowledged]
        last = min(self.last_sequence, acknowledged + max_records)
        while last > first and self._ends[last] - start > MAX_BATCH_BYTES:
            last -= 1
        if last < first:
            return first, []
        block = os.pread(self._file, self._ends[last] - start, start)
        return first, block.split(b"\n")[:-1]

    def acknowledge(self, sequence: int) -> None:
        """Note that the server holds everything up to ``sequence``; a lower number than before means that they must be
        sent again.
        """
        self._cursor = max(0, min(sequence, self.last_sequence))
        try:
            replace_text(self._cursor_path, json.dumps({"acknowledged": self._cursor}))
        except OSError as error:  # a later life sends more again than it must, which is harmless
            logger.debug("%s cannot be written: %s", self._cursor_path, error)

    def close(self) -> None:
        """Release the file; the folder's owner deletes it."""
        os.close(self._file)

    def _read_cursor(self) -> int:
        try:
            return int(json.loads(self._cursor_path.read_text())["acknowledged"])
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return 0  # sending again is harmless: the server goes by numbers


def _records_path(folder: Path) -> Path:
    return folder / "records.jsonl"
