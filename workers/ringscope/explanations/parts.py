"""Files of other programs, explained: each kind gets its part, each file its sentence. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ringscope.contracts.words.units import plural
from ringscope.explanations.kinds import NAMES, UNKNOWN, Kind, kinds_of, read_result
from ringscope.hangs import document as hang_document
from ringscope.hangs.dumps import RefusedError as DumpRefusedError
from ringscope.hangs.dumps import read_dump
from ringscope.hangs.model import Dump
from ringscope.hangs.table import table
from ringscope.hangs.verdict import explain as explain_hang
from ringscope.imports.document import file_document
from ringscope.imports.lines import NotTextError, decode
from ringscope.imports.model import Run
from ringscope.nccl_inspector.points import drawn
from ringscope.nccl_inspector.reading import read as read_records
from ringscope.nccl_log.picture import picture
from ringscope.nccl_log.reading import read as read_log
from ringscope.nccl_ras.model import Report
from ringscope.nccl_ras.reading import RefusedError as ReportRefusedError
from ringscope.nccl_ras.reading import read as read_report
from ringscope.nccl_ras.sentences import document as report_document

_MOST_FINDINGS = 20
_MOST_FRAMES = 30


@dataclass
class File:
    """A file, what it is, and why it is not explained; ``refused`` is the rest of a sentence that begins with it."""

    name: str
    content: bytes
    kinds: tuple[Kind, ...] = ()
    what: str = ""
    refused: str | None = None


def explain(files: Sequence[File], judge: Callable[[Run], dict[str, Any]]) -> dict[str, Any]:
    """Return what each file is, and the part of each kind; nothing in a file raises an error."""
    for file in files:
        file.kinds = kinds_of(file.content)
        file.what = " and ".join(NAMES[kind] for kind in file.kinds)
        if not file.kinds:
            file.refused = _unknown(file.content)
    parts = {
        "hang": _hang(_those(files, "flight_recorder")),
        "nccl_log": _nccl_log(_those(files, "nccl_log")),
        "nccl_inspector": _inspector(_those(files, "nccl_inspector")),
        "nccl_ras": _ras(_those(files, "nccl_ras")),
        "results": [_result(one, judge) for one in _those(files, "result")],
    }
    told = [{"name": one.name, "kinds": one.kinds, "what": one.what, "refused": one.refused} for one in files]
    return {"files": told, **parts}


def _those(files: Sequence[File], kind: Kind) -> list[File]:
    return [file for file in files if kind in file.kinds]


def _unknown(content: bytes) -> str:
    if not content.strip():
        return "the file is empty; give it as the program wrote it."
    try:
        decode(content)
    except NotTextError as error:
        return str(error)
    return UNKNOWN


def _hang(files: Sequence[File]) -> dict[str, Any] | None:
    dumps: dict[int, Dump] = {}
    for file in files:
        try:
            dump = read_dump(file.name, file.content)
        except DumpRefusedError as error:
            file.refused = str(error)
            continue
        file.what = f"{NAMES['flight_recorder']} of rank {dump.rank}"
        if dump.rank in dumps:
            file.refused = f"{dumps[dump.rank].path} is of rank {dump.rank} too; give one dump of each rank."
        dumps.setdefault(dump.rank, dump)
    if len(dumps) == 1:
        (only,) = dumps.values()
        alone = next(file for file in files if file.name == only.path and file.refused is None)
        alone.refused = "one dump shows only what its rank waits in; give the dumps of all ranks at once."
    if len(dumps) < 2:
        return None
    verdict = explain_hang(list(dumps.values()))
    told = hang_document.document(verdict)
    told["findings_omitted"] = max(len(told["findings"]) - _MOST_FINDINGS, 0)
    told["findings"], told["pairs"] = told["findings"][:_MOST_FINDINGS], told["pairs"][:_MOST_FINDINGS]
    for one in (*told["findings"], *told["pairs"]):
        for operation in (one.get(name) for name in ("expected", "found", "operation", "other")):
            if operation is not None:
                operation["frames"] = operation["frames"][:_MOST_FRAMES]
    return {**told, "is_clean": verdict.is_clean, "table": table(list(dumps.values()), verdict)}


def _nccl_log(files: Sequence[File]) -> dict[str, Any] | None:
    return picture(read_log(file.content for file in files)) if files else None


def _inspector(files: Sequence[File]) -> dict[str, Any] | None:
    if not files:
        return None
    found = read_records(file.content for file in files)
    if not found.series:
        lines = [f"{plural(found.others, 'record')} of other kinds"] if found.others else []
        lines += [f"{plural(found.unreadable, 'line')} that cannot be read"] if found.unreadable else []
        why = f"; it has {' and '.join(lines)}" if lines else ""
        for file in files:
            file.refused = f"no line is a collective's record of NCCL Inspector{why}; give the whole file."
        return None
    return drawn(found)


def _result(file: File, judge: Callable[[Run], dict[str, Any]]) -> dict[str, Any]:
    reading = read_result(file.content)
    if tools := {run.tool for run in reading.runs}:
        file.what = file.what.replace(NAMES["result"], f"a result of {' and '.join(sorted(tools))}")
    return file_document(file.name, reading, judge)


def _ras(files: Sequence[File]) -> list[dict[str, Any]]:
    """Return each report, compared with the last one before it that has one of its communicators."""
    found: list[dict[str, Any]] = []
    before: dict[str, tuple[str, Report]] = {}
    for file in files:
        try:
            report = read_report(file.content)
        except ReportRefusedError as error:
            file.refused = str(error)
            continue
        name, earlier = next((before[one.name] for one in report.communicators if one.name in before), (None, None))
        found.append({"path": file.name, "compared_with": name, **report_document(report, earlier)})
        before |= {one.name: (file.name, report) for one in report.communicators}
    return found
