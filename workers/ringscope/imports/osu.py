"""OSU micro-benchmarks' text: latencies of collectives, and latency or bandwidth between two ranks. Pure."""

import re

from ringscope.imports.cells import parse_cell, parse_count
from ringscope.imports.facts import crash_in, quoted
from ringscope.imports.lines import complete_lines
from ringscope.imports.model import Cell, Row, Run
from ringscope.imports.names import collective_named

_TITLE = re.compile(r"# OSU (\S{1,40}) (.{1,80}?) Test(?: v?([0-9][0-9.]{0,12}))?")
_RANKS = re.compile(r"(?:^|\s)(?:-n|-np|--np|-N_total|--ntasks)[= ]{1,3}([0-9]{1,7})(?=\s|$)")
_LARGEST = re.compile(r"\s-m\s{0,3}(?:[0-9]{1,15}:)?([0-9]{1,15})\b")
_DATATYPE = re.compile(r"# Datatype: (\S{1,40}?)\.?$")
_TWO_RANKS = frozenset({"Bandwidth", "Bi-Directional Bandwidth", "Latency"})
_COLLECTIVES = {
    "All-to-All Personalized Exchange": "alltoall",
    "Broadcast": "broadcast",
    "Allgather": "all_gather",
    "Reduce_scatter": "reduce_scatter",
}


def sniff(text: str) -> bool:
    """Return whether the text has the title of a test."""
    return "# OSU " in text and _TITLE.search(text) is not None


def read(text: str) -> list[Run]:
    """Return a run for each title."""
    lines, rest = complete_lines(text)
    reader = _Reader()
    for number, line in enumerate(lines, 1):
        reader.take(number, line)
    reader.take_rest(len(lines) + 1, rest)
    return reader.runs


class _Reader:
    def __init__(self) -> None:
        self.runs: list[Run] = []
        self._columns = 0
        self._is_rate = False
        self._asked: tuple[int | None, int | None] = (None, None)  # ranks and largest size of the command line
        self._largest: int | None = None

    def take(self, number: int, line: str) -> None:
        """Take a complete line."""
        if "osu_" in line:
            ranks, largest = _RANKS.search(line), _LARGEST.search(line)
            self._asked = (int(ranks[1]) if ranks else None, int(largest[1]) if largest else None)
        if found := _TITLE.search(line):
            self._end()
            self._start(number, found)
        elif not self.runs:
            return
        elif "Size" in line and "#" in line:
            self._columns = line.count("(us)") + line.count("(MB/s)") + line.count("Iterations") + 1
            self._columns += line.count("Validation")
            self._is_rate = "(MB/s)" in line
        elif found := _DATATYPE.search(line):
            self.runs[-1].note(f"Datatype {found[1]}.")
        elif self._columns and (row := self._row(number, line)):
            self.runs[-1].rows.append(row)
        elif crash := crash_in(line):
            self.runs[-1].crash = self.runs[-1].crash or (number, quoted(crash))
            self.runs[-1].failed = True

    def take_rest(self, number: int, line: str) -> None:
        """Take a last line without an end: a row of it counts if its number has both decimals."""
        if self.runs and line.strip():
            if self._columns == 2 and line[-3:-2] == "." and (row := self._row(number, line)):
                self.runs[-1].rows.append(row)
            else:
                self.runs[-1].partial = True
        self._end()

    def _start(self, number: int, found: re.Match[str]) -> None:
        test = found[2]
        bare = test.removesuffix(" Latency")
        collective = None if test in _TWO_RANKS else _COLLECTIVES.get(bare, collective_named(bare))
        run = Run("osu", number, collective, "the title" if collective else None, test=test)
        if found[3]:
            run.machine.versions["osu"] = found[3]
        if test in _TWO_RANKS:
            run.ranks, run.ranks_from = 2, "the test"
        elif self._asked[0]:
            run.ranks, run.ranks_from = self._asked[0], "the command line"
        self._largest = self._asked[1]
        self._asked, self._columns = (None, None), 0
        self.runs.append(run)

    def _end(self) -> None:
        """Mark a run as partial that ended before the largest size of its command line."""
        if self.runs and self._largest and self.runs[-1].rows:
            self.runs[-1].partial |= max(row.size_bytes for row in self.runs[-1].rows) < self._largest

    def _row(self, number: int, line: str) -> Row | None:
        words = line.split()[-self._columns :]
        if len(words) != self._columns:
            return None
        if any(not word.endswith((":", ">", "]", "|")) for word in line.split()[: -self._columns]):
            return None
        size = parse_count(words[0].rpartition(":")[2].rpartition(">")[2])
        cell = parse_cell(words[1]) if "." in words[1] else None
        if size is None or cell is None:
            return None
        if self._is_rate:
            rate = Cell(cell.value / 1e3, cell.half / 1e3)
            return Row(number, size, False, algbw=rate)
        return Row(number, size, False, time_us=cell)
