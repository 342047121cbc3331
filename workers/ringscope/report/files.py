"""Tables of other tools' logs as parts of a report. Pure."""

from collections.abc import Sequence
from math import isfinite

from ringscope.expected.published import Source
from ringscope.imports.files import read_file
from ringscope.imports.judged import Given, facts_of, judged
from ringscope.imports.model import Cell, Run
from ringscope.imports.model import Row as PrintedRow
from ringscope.report.document import Fact, ReportedJob, Row, best_of


def reported_file(name: str, content: bytes, given: Given, sources: Sequence[Source]) -> list[ReportedJob]:
    """Return each table of a file; a file without any is a part that says why it was refused."""
    reading = read_file(content)
    if not reading.runs:
        return [_refused(name, reading.refused or "There is no table in it.")]
    return [_job(name, run, given, sources) for run in reading.runs]


def _refused(name: str, sentence: str) -> ReportedJob:
    return ReportedJob(
        title=name,
        kind="file",
        id=None,
        state="refused",
        refused=sentence,
        facts=[],
        versions={},
        nodes=[],
        rows=[],
        best=[],
        judgement=None,
        disturbed=[],
    )


def _job(name: str, run: Run, given: Given, sources: Sequence[Source]) -> ReportedJob:
    if run.refused:
        return _refused(f"{name}, line {run.line}", run.refused)
    collective, ranks = given.collective or run.collective, run.ranks or given.ranks
    rows = [_row(row, collective, ranks, run.algorithm) for row in run.rows]
    return ReportedJob(
        title=f"{name}, line {run.line}",
        kind="file",
        id=None,
        state="failed" if run.failed else "partial" if run.partial else "complete",
        refused=None,
        facts=_facts(run, given),
        versions=dict(run.machine.versions),
        nodes=run.machine.hosts,
        rows=rows,
        best=best_of(rows),
        judgement=judged(run, given, sources).document(),
        disturbed=list(run.notes),
    )


def _facts(run: Run, given: Given) -> list[Fact]:
    found = facts_of(run, given)
    ranks = f"{run.ranks} (from {run.ranks_from})" if run.ranks and run.ranks_from else found.ranks
    cards = f"{found.cards} x {found.card_gbit:g} Gbit/s" if found.cards and found.card_gbit else None
    told = {
        "tool": run.tool,
        "collective": found.collective or run.test,
        "ranks": ranks,
        "nodes": found.nodes,
        "GPU": found.gpu,
        "network": found.network or ", ".join(run.machine.networks),
        "cards of a node": cards,
        **dict(sorted(found.environment.items())),
    }
    return [Fact(name=name, value=str(value)) for name, value in told.items() if value]


def _row(row: PrintedRow, collective: str | None, ranks: int | None, algorithm: str | None) -> Row:
    return Row(
        collective=collective,
        algorithm=algorithm,
        size_bytes=row.size_bytes,
        in_place=row.in_place,
        dtype=row.dtype,
        op=row.redop,
        ranks=ranks,
        transport=None,
        time_us=_number(row.time_us),
        time_low_us=None,
        time_high_us=None,
        algbw_gb_per_s=_number(row.algbw),
        busbw_gb_per_s=_number(row.busbw),
        wrong=row.wrong if row.wrong is not None and isfinite(row.wrong) else None,
        flags=list(row.flags),
        halves={"time": _half(row.time_us), "algbw": _half(row.algbw), "busbw": _half(row.busbw)},
    )


def _number(cell: Cell | None) -> float | None:
    return None if cell is None or not isfinite(cell.value) else cell.value


def _half(cell: Cell | None) -> float:
    return 0.0 if cell is None or not isfinite(cell.half) else cell.half
