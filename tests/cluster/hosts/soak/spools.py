"""Every agent's spools, kept beyond their attempts: what the ranks told, to be compared with what is stored."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any


class Spools:
    """Second names for the files of records, which their agents delete once the server has them."""

    def __init__(self, lab_folder: Path, kept: Path) -> None:
        self._lab_folder = lab_folder
        self._kept = kept
        kept.mkdir()

    def keep(self) -> None:
        """Look for new ones."""
        for records in self._lab_folder.glob("h*/attempts/*/records.jsonl"):
            host, attempt_id = records.parts[-4], records.parts[-2]
            with suppress(FileExistsError, FileNotFoundError):  # we have it; it is gone already
                os.link(records, self._kept / f"{attempt_id}-{host}")

    def read(self) -> dict[tuple[int, str], list[dict[str, Any]]]:
        """The records by attempt and host."""
        found = {}
        for path in sorted(self._kept.iterdir()):
            attempt_id, _, host = path.name.partition("-")
            found[int(attempt_id), host] = [json.loads(line) for line in path.read_bytes().splitlines()]
        return found
