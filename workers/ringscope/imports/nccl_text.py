"""The text of nccl-tests, of rccl-tests and of our own table, of every generation, with anything around it. Pure."""

import re

from ringscope.imports import facts
from ringscope.imports.cells import parse_cell, parse_count
from ringscope.imports.layout import Layout, UnreadableError, guessed, header_of, parse_row, place_of_dtype, words_of
from ringscope.imports.lines import complete_lines
from ringscope.imports.model import Cell, Run
from ringscope.imports.names import collective_named, program_in

_MARKS = (
    "Out of bounds values", "Avg bus bandwidth", "Collective test starting", "Collective test concluded", "nThread",
    "Using devices",
)  # fmt: skip
_OURS = re.compile(r"\branks: ([0-9]{1,6})\b")
_STEP = re.compile(r"step: ([0-9]{1,4})\(factor\)")
_FRAGMENT = re.compile(r"[0-9.e+/NA-]{1,24}")
_COMPLETE = frozenset({"0", "N/A", "0e+00"})  # a last cell that is not the start of a longer number
_MOST_UNREADABLE = 5


def sniff(text: str) -> bool:
    """Return whether the text has any line of this family: a mark, a header, or a row."""
    if any(mark in text for mark in _MARKS) or ("algbw" in text and "busbw" in text):
        return True
    return any(_is_row(line) for line in text.split("\n") if line[-1:] not in ("}", ","))


def read(text: str) -> list[Run]:
    """Return the runs in the order of the text."""
    lines, rest = complete_lines(text)
    reader = _Reader()
    for number, line in enumerate(lines, 1):
        reader.take(number, line)
    reader.take_rest(len(lines) + 1, rest)
    return reader.runs()


def _is_row(line: str) -> bool:
    words = words_of(line)
    place = place_of_dtype(words)
    return place is not None and guessed(words, place) is not None


class _Reader:
    """Takes line after line; a new table, a new program or a second footer begins a new run."""

    def __init__(self) -> None:
        self._done: list[Run] = []
        self._begin(1)

    def _begin(self, line: int) -> None:
        self._run = Run("nccl-tests", line)
        self._layout: Layout | None = None
        self._unit = "us"
        self._has_footer = self._has_list = self._has_started = False
        self._unreadable: list[int] = []
        self._is_told = False  # whether anything of a program was there
        self._first = line

    def runs(self) -> list[Run]:
        """Return all runs; text without any sign of a program is none."""
        self._close()
        return self._done

    def _close(self) -> None:
        run = self._run
        if not (self._is_told or run.rows or run.crash or run.machine.devices):
            return
        if self._layout is not None and not self._layout.has_header and run.rows:
            run.partial = True
            run.note(f"Line {run.rows[0].line}: the table has no header; its columns are taken from their number.")
        if self._unreadable:
            run.partial = True
            shown = ", ".join(map(str, self._unreadable[:_MOST_UNREADABLE]))
            more = len(self._unreadable) - _MOST_UNREADABLE
            run.note(f"Rows that cannot be read were left out: line {shown}{f' and {more} more' if more > 0 else ''}.")
        if not self._has_footer:
            run.partial = True
        if not self._has_list:
            run.machine.devices = []  # a list that ends with the file may be cut
        if not run.rows and run.partial and run.collective_from == "concluded":
            run.collective = None
        self._done.append(run)

    def _fresh(self, line: int, *, starts: bool = False) -> None:
        """Begin a new run if the current one has a table or a footer; at a program's start also if it has started."""
        if (starts and self._has_started) or self._run.rows or self._run.mean_busbw is not None:
            self._close()
            self._begin(line)

    def take(self, number: int, line: str) -> None:
        """Take a complete line."""
        if not line or line.isspace():
            return
        words = words_of(line)
        place = place_of_dtype(words)
        if place is not None:
            self._row(number, words, place)
        elif "algbw" in line and (layout := header_of(words)):
            self._fresh(number)
            self._layout, self._is_told = layout, True
            self._unit = "us" if "size" in words or "#size" in words else "ms"
        elif len(words) == 1 and self._run.rows and _FRAGMENT.fullmatch(words[0]):
            self._drop_last(number)
        elif not self._mark(number, line, words):
            self._around(number, line)
        if self._run.machine.devices and not self._has_list and "Rank" not in line:
            self._has_list = True

    def take_rest(self, number: int, line: str) -> None:
        """Take a last line without an end, of which only what cannot be the start of something longer counts."""
        words = words_of(line)
        place = place_of_dtype(words)
        if place is not None:
            if words[-1] in _COMPLETE:
                self._row(number, words, place)
            self._run.partial = True
        elif "Avg bus bandwidth" in line and self._run.rows and self._run.mean_busbw is None:
            cell = _after_colon(line)
            mean = sum(row.busbw.value for row in self._run.rows if row.busbw) / len(self._run.rows)
            if cell and abs(cell.value - mean) <= cell.half + 0.005:
                self._run.mean_busbw, self._has_footer = cell, True
        elif facts.crash_in(line):
            self._has_list = bool(self._run.machine.devices)
            self._crash(number, line)

    def _drop_last(self, number: int) -> None:
        """Leave out the row before a line that has only a piece of a number: its last number may go on there."""
        last = self._run.rows[-1].line
        if last == number - 1:
            self._run.rows = [row for row in self._run.rows if row.line != last]
            self._unreadable.append(last)

    def _row(self, number: int, words: list[str], place: int) -> None:
        if self._has_footer:
            self._fresh(number)
        if self._layout is None:
            self._layout = guessed(words, place)
        try:
            if self._layout is None:
                raise UnreadableError
            rows = parse_row(words, place, self._layout, number)
        except UnreadableError:
            self._unreadable.append(number)
            self._is_told = True
            self._run.machine.is_list_whole &= bool(self._run.rows)  # it may have been a line of the list
            return
        if self._unit == "ms":
            for row in rows:
                if row.time_us is not None:
                    row.time_us = Cell(row.time_us.value * 1000, row.time_us.half * 1000)
        self._run.rows += rows
        self._is_told = True

    def _mark(self, number: int, line: str, words: list[str]) -> bool:
        """Take one of the program's own lines; False for all others."""
        if "Collective test starting:" in line:
            self._fresh(number, starts=True)
            self._is_told = self._has_started = True
            told = line.partition("starting:")[2].split()
            if found := _OURS.search(line):
                self._run.tool, self._run.ranks, self._run.ranks_from = "ringscope", int(found[1]), "the header"
            self._name(told[0] if told else "", "Collective test starting")
        elif "Collective test concluded" in line:
            told = line.partition("concluded:")[2].split()
            if self._run.collective is None and told:
                self._name(told[0], "Collective test concluded")
        elif "Out of bounds values" in line:
            if self._run.mean_busbw is not None:
                self._fresh(number)
            self._is_told = True
            told = line.rpartition("values")[2].replace(":", " ").split()
            if told and (parse_count(told[0]) or "FAILED" in told[1:]):
                self._run.failed = True
                self._run.note(f"Line {number}: the tool counted {told[0]} failed checks.")
        elif "Avg bus bandwidth" in line:
            if self._run.mean_busbw is not None:
                self._fresh(number)
            self._is_told = True
            self._run.mean_busbw = _after_colon(line)
            self._has_footer = self._run.mean_busbw is not None
            if "FAILED" in words:
                self._run.failed = True
                self._run.note(f"Line {number}: the average is below the minimum that the tool was given.")
        elif ("nThread" in words and "minBytes" in words) or "Using devices" in line:
            self._fresh(number)
            self._is_told = True
            if found := _STEP.search(line):
                self._run.step_factor = int(found[1])
        elif "(us)" in words or "(ms)" in words:
            self._unit = "ms" if "(ms)" in words else "us"
        elif "SIMULATED:" in words:
            self._run.simulated = True
        else:
            return False
        return True

    def _around(self, number: int, line: str) -> None:
        """Take what else may say something: devices, versions, a command line, a crash."""
        device = facts.device_in(line)
        if device is not None:
            if self._run.rows:
                self._fresh(number)
            self._run.machine.devices.append(device)
            return
        if ("Rank " in line or "Pid " in line) and "NCCL" not in line and not self._run.rows:
            self._run.machine.is_list_whole = False
        if "tests version" in line or "ringscope version" in line:
            self._fresh(number, starts=True)
            self._is_told = True
        if "rccl" in line.lower() and ("rccl-tests" in line or "RCCL version" in line):
            self._run.tool = "rccl-tests"
        if "Errors with asterisks" in line:
            self._run.tool = "rccl-tests"
        facts.learn(self._run.machine, line)
        if program := program_in(line):
            if self._has_footer:
                self._fresh(number)
            self._run.collective, self._run.collective_from = program, "the command line"
        if facts.crash_in(line):
            self._crash(number, line)

    def _crash(self, number: int, line: str) -> None:
        if self._run.crash is None:
            self._run.crash = (number, facts.quoted(line))
            self._run.failed = True

    def _name(self, word: str, source: str) -> None:
        """Take a program's name, all_reduce_perf, or in our own table that of the collective; nothing that is cut."""
        is_whole = "_perf" in word or self._run.tool == "ringscope"
        collective = collective_named(word) if is_whole else None
        if collective is not None:
            self._run.collective, self._run.collective_from = collective, source


def _after_colon(line: str) -> Cell | None:
    told = line.rpartition("bandwidth")[2].replace(":", " ").split()
    return parse_cell(told[0]) if told else None
