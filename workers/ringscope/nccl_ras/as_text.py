"""A RAS report as the text that ``ncclras`` prints. Pure."""

import re

from ringscope.contracts.words.units import is_whole_number
from ringscope.imports.lines import complete_lines
from ringscope.nccl_ras.model import Communicator, Place, Report

_VERSION = re.compile(r"NCCL version ([0-9]{1,3}\.[0-9]{1,3}\S{0,40})")
_ROW = re.compile(
    r"^\s*([0-9]{1,6})\s+([0-9]{1,7})\s+([0-9]{1,7}(?:-[0-9]{1,7})?)\s+([0-9]{1,7}(?:-[0-9]{1,7})?)\s+"
    r"([0-9]{1,7}(?:-[0-9]{1,7})?)\s+([0-9]{1,8})"
    r"\s+([A-Z]{2,20})\s+([A-Z,\s]{2,60}|OK)\s*$"
)
_SECTION = re.compile(r"^#([0-9]{1,6})-([0-9]{1,6}) \(([0-9a-fx:]{1,80})\) ([A-Z]{2,20})")
_MISSING = re.compile(r"[Mm]issing ranks?: ([0-9,\- ]{1,2000})")
_LAUNCHED = re.compile(
    r"^\s*([0-9]{1,7}) ranks? (?:has|have) launched up to (?:(?P<kind>[A-Za-z]{1,30}) )?operation ([0-9]{1,19})"
)
_PLACE = re.compile(
    r"^\s*Rank ([0-9]{1,7}) -- GPU ([0-9,]{1,60}) managed by process ([0-9]{1,10}) on node ([\w.:\-\[\]]{1,255})"
)
_PROCESS = re.compile(
    r"^\s*Process ([0-9]{1,10}) on node ([\w.:\-\[\]]{1,255}) managing GPUs? ([0-9,]{1,60})", re.IGNORECASE
)
_TIMEOUTS = re.compile(r"[Ee]ncountered ([0-9]{1,9}) communication timeout")
_MOST_RANKS = 100_000


def is_report(text: str) -> bool:
    """Return whether a text has lines of a report."""
    return "ranks have launched up to" in text or ("Ranks" in text and "Comms" in text) or "Job summary" in text


def read_text(text: str) -> Report:
    """Return the report of a text; what is not known is ignored, and a last line without an end does not count."""
    report = Report()
    lines, _ = complete_lines(text)
    sizes: dict[str, int] = {}
    one: Communicator | None = None
    launched: tuple[str, int, int] | None = None
    processes: list[tuple[str, int, str]] = []
    for line in lines:
        if found := _VERSION.search(line):
            report.version = found[1]
        elif found := _ROW.match(line):
            report.rows += 1
            if is_whole_number(found[5]):
                sizes[found[1]] = int(found[5])
        elif found := _SECTION.match(line):
            one, launched = _named(report, found[3], sizes.get(found[1])), None
        elif found := _TIMEOUTS.search(line):
            report.timeouts = int(found[1])
        elif found := _PROCESS.match(line):
            processes.append((found[3], int(found[1]), found[2]))
        elif one is not None:
            launched = _detail(one, line, launched)
    missing = [(one, index) for one in report.communicators for index in range(len(one.missing))]
    if len(missing) == len(processes) == 1:
        (one, index), (gpu, pid, host) = missing[0], processes[0]
        one.missing[index] = Place(one.missing[index].rank, gpu, pid, host)
    return report


def _named(report: Report, name: str, size: int | None) -> Communicator:
    for one in report.communicators:
        if one.name == name:
            return one
    report.communicators.append(Communicator(name, size))
    return report.communicators[-1]


def _detail(one: Communicator, line: str, launched: tuple[str, int, int] | None) -> tuple[str, int, int] | None:
    """Take a line of a communicator's section; return the count that the ranks which follow have."""
    if found := _MISSING.search(line):
        one.missing += [Place(rank) for rank in _ranks(found[1])]
    elif found := _LAUNCHED.match(line):
        kind = found["kind"] or ""
        one.counts.setdefault(kind, {})[int(found[3])] = int(found[1])
        return kind, int(found[3]), int(found[1])
    elif (found := _PLACE.match(line)) and launched is not None:
        kind, count, _ = launched
        one.ranks_of.setdefault((kind, count), []).append(int(found[1]))
    return launched


def _ranks(text: str) -> list[int]:
    """Return the ranks of a list such as 1-3,7."""
    found: list[int] = []
    for part in text.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        if is_whole_number(first) and len(first) < 8 and (not last or (is_whole_number(last) and len(last) < 8)):
            found += range(int(first), min(int(last or first), int(first) + _MOST_RANKS) + 1)
    return found
