"""The runs of a search on the disk of rank 0's node, from which the next attempt continues."""

import json
from pathlib import Path

from pydantic import ValidationError

from ringscope.contracts.search.record import SearchRun

_NAME = "search-runs.jsonl"
_KILLED = "The attempt ended during this run."


class RunFile:
    """A line for each run that has begun, and one for each that has ended; None as folder keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / _NAME

    def read(self) -> list[SearchRun]:
        """Return the runs of earlier attempts; one that did not end has failed. A torn last line is left out."""
        if self._path is None or not self._path.is_file():
            return []
        runs: list[SearchRun] = []
        begun: tuple[str, int] | None = None
        for line in self._path.read_text().splitlines():
            try:
                found = json.loads(line)
                if "begun" in found:
                    begun = found["begun"], int(found["round"])
                else:
                    runs.append(SearchRun.model_validate(found))
                    begun = None
            except (ValueError, ValidationError):
                continue
        if begun is not None:
            runs.append(failed_run(*begun, _KILLED))
        return runs

    def note_begin(self, candidate: str, number: int) -> None:
        """Record that a run begins."""
        self._append(json.dumps({"begun": candidate, "round": number}))

    def note_end(self, run: SearchRun) -> None:
        """Record a run that has ended."""
        self._append(run.model_dump_json())

    def _append(self, line: str) -> None:
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(line + "\n")


def failed_run(candidate: str, number: int, why: str, seconds: float = 0.0) -> SearchRun:
    """Return a run without figures."""
    nothing = {"samples": 1, "blocks_us": [], "compute_us": 0.0, "exposed_us": 0.0, "exchanged_bytes": 0.0}
    fields = {"candidate": candidate, "round": number, "seconds": seconds, "failure": why}
    return SearchRun.model_validate(nothing | fields)
