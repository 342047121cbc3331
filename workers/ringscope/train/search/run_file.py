"""The runs of a search on the disk of rank 0's node, from which the next attempt continues."""

import json
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ringscope.contracts.search.record import SearchBegin, SearchDone, SearchRun, SearchTarget

_NAME = "search-runs.jsonl"
_DONE: TypeAdapter[SearchDone] = TypeAdapter(SearchDone)
_KILLED = "The attempt ended during this run."


class RunFile:
    """A line for each run that has begun, and one for each that has ended; None as folder keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / _NAME

    def read(self) -> list[SearchDone]:
        """Return the runs of earlier attempts; one that did not end has failed. A torn last line is left out."""
        if self._path is None or not self._path.is_file():
            return []
        runs: list[SearchDone] = []
        begun: SearchBegin | None = None
        for line in self._path.read_text().splitlines():
            try:
                found = json.loads(line)
                if found["type"] == "search_begin":
                    begun = SearchBegin.model_validate(found)
                else:
                    runs.append(_DONE.validate_python(found))
                    begun = None
            except (ValueError, ValidationError):
                continue
        if begun is not None:
            runs.append(failed_run(begun, _KILLED))
        return runs

    def note_begin(self, begin: SearchBegin) -> None:
        """Record that a run begins."""
        self._append(begin.model_dump_json())

    def note_end(self, run: SearchDone) -> None:
        """Record a run that has ended."""
        self._append(run.model_dump_json())

    def _append(self, line: str) -> None:
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(line + "\n")


def failed_run(begin: SearchBegin, why: str, seconds: float = 0.0) -> SearchDone:
    """Return a run without figures."""
    fields = {"candidate": begin.candidate, "seconds": seconds, "failure": why}
    if begin.epochs is not None:
        return SearchTarget.model_validate(fields | {"epochs": begin.epochs})
    nothing = {"samples": 1, "blocks_us": [], "compute_us": 0.0, "exposed_us": 0.0, "exchanged_bytes": 0.0}
    return SearchRun.model_validate(nothing | fields | {"round": begin.round})
