"""Every agent's spools, kept beyond their attempts: what the ranks told, to be compared with what is stored."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

_KEPT = "kept"


class Spools:
    """Second names for the files of records, which their agents delete once the server has them.

    They lie on each host's own disk, as no file has names on two.
    """

    def __init__(self, lab_folder: Path) -> None:
        self._lab_folder = lab_folder
        for host in lab_folder.glob("h*/"):
            (host / _KEPT).mkdir()

    def keep(self) -> None:
        """Look for new ones."""
        for records in self._lab_folder.glob("h*/attempts/*/records.jsonl"):
            attempt, host = records.parent, records.parents[2]
            with suppress(FileExistsError, FileNotFoundError):  # we have it; it is gone already
                os.link(records, host / _KEPT / attempt.name)

    def read(self) -> dict[tuple[int, str], list[dict[str, Any]]]:
        """The records by attempt and host."""
        found = {}
        for path in sorted(self._lab_folder.glob(f"h*/{_KEPT}/*")):
            found[int(path.name), path.parts[-3]] = [json.loads(line) for line in path.read_bytes().splitlines()]
        return found
