"""Files of other tools as the jobs that storing them makes: specification, rows that count, comparison and facts.

It needs no database and takes processor time, so that requests run it in another process.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from math import isfinite
from pathlib import PurePath
from typing import Any

from pydantic import ValidationError

from ringscope.contracts.findings import FieldError, field_errors
from ringscope.contracts.job import IMPORTED, JobSpec
from ringscope.contracts.sweep_row import SweepRow
from ringscope.contracts.words.collectives import COLLECTIVES, bus_factor, nameable
from ringscope.contracts.words.dtypes import DTYPES, OPS
from ringscope.explanations.kinds import read_result
from ringscope.imports.document import run_document
from ringscope.imports.judged import Given, facts_of, points_of
from ringscope.imports.model import Row, Run
from ringscope.imports.names import ITEMSIZES
from ringscope.imports.redaction import redacted
from ringscope_server.imports.preview import ImportedFile, ImportQuestion, given_facts
from ringscope_server.jobs.summary import summary_of
from ringscope_server.jobs.tally import Tally

_DTYPES = {"float": "float32", "half": "float16", "double": "float64", "int": "int32", "char": "int8"}
_RECORDED = frozenset({"tool", "line", "partial", "failed", "notes", "machine", "mean_busbw_gb_per_s", "rows"})


class RefusedError(Exception):
    """Files cannot be stored; ``errors`` say which and why."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        super().__init__(" ".join(error.detail for error in errors))
        self.errors = list(errors)


@dataclass(frozen=True)
class PreparedJob:
    """One job to store; everything in it is JSON, without secrets."""

    spec: dict[str, Any]
    is_failed: bool
    message: str
    rows: list[dict[str, Any]]  # the rows that count, as SweepRow
    tally: dict[str, Any]
    summary: dict[str, Any]
    facts: dict[str, Any]  # expected.facts.Facts
    points: list[dict[str, Any]]  # expected.facts.Point
    document: dict[str, Any]  # the table as printed, with the rows that do not count


@dataclass(frozen=True)
class PreparedFile:
    """One file and its jobs."""

    name: str
    sha256: str
    text: str
    given: dict[str, Any]  # the facts that the request states
    jobs: list[PreparedJob]


def prepared(question: ImportQuestion) -> list[PreparedFile] | list[FieldError]:
    """Return what storing the files makes, or the reasons for which none of them is stored."""
    given, errors, files = given_facts(question), list[FieldError](), list[PreparedFile]()
    for index, file in enumerate(question.files):
        try:
            files.append(_file(file, given, question.facts()))
        except RefusedError as refusal:
            pointer = f"/files/{index}/content"
            errors += [FieldError(pointer=pointer, detail=f"{file.name}: {one.detail}") for one in refusal.errors]
    return errors or files


def _file(file: ImportedFile, given: Given, stated: dict[str, Any]) -> PreparedFile:
    content = file.content.encode()
    reading = read_result(content)
    refused = [reading.refused] if reading.refused else [run.refused for run in reading.runs if run.refused]
    if refused:
        raise RefusedError([_error(sentence) for sentence in refused if sentence])
    name, checksum = redacted(PurePath(file.name).name or "log"), sha256(content).hexdigest()
    jobs = [_job(part, given, name, checksum) for run in reading.runs for part in _parts(run)]
    return PreparedFile(name, checksum, redacted(file.content), stated, jobs)


def _parts(run: Run) -> Iterator[Run]:
    """Yield a run for each dtype and operation of a table that has several."""
    kinds = list(dict.fromkeys((row.dtype, row.redop) for row in run.rows))
    for kind in kinds:
        rows = [row for row in run.rows if (row.dtype, row.redop) == kind]
        yield run if len(kinds) == 1 else _with_rows(run, rows)


def _with_rows(run: Run, rows: list[Row]) -> Run:
    return Run(**{**vars(run), "rows": rows, "line": rows[0].line, "mean_busbw": None})


def _job(run: Run, given: Given, name: str, checksum: str) -> PreparedJob:
    collective, ranks = given.collective or run.collective, run.ranks or given.ranks
    at = f"Line {run.line}:"
    if collective not in COLLECTIVES:
        what = collective or run.test or "not stated"
        known = ", ".join(COLLECTIVES)
        raise RefusedError([_error(f"{at} the collective is {what}; only {known} can be stored, so state it.")])
    if ranks is None:
        raise RefusedError([_error(f"{at} the number of ranks is not stated; add it as ranks (--ranks).")])
    algorithm = _algorithm(run, collective)
    rows = [row for row in _sweep_rows(run, collective, ranks, algorithm) if row is not None]
    if not rows:
        raise RefusedError([_error(f"{at} no row of the table counts, so there is nothing to store.")])
    facts = facts_of(run, given)
    try:
        spec = JobSpec.model_validate(
            {
                "kind": IMPORTED,
                "benchmark": {
                    "collective": collective,
                    "algorithms": [algorithm],
                    "dtype": rows[0].dtype if rows[0].dtype in DTYPES else "float32",
                    "op": rows[0].op if rows[0].op in OPS else "sum",
                    "min_bytes": min(row.size_bytes for row in rows),
                    "max_bytes": max(row.size_bytes for row in rows),
                    "iterations": 1,
                    "check": any(row.wrong is not None for row in rows),
                },
                "placement": {"ranks": ranks},
                IMPORTED: {
                    "tool": run.tool,
                    "file": name,
                    "sha256": checksum,
                    "line": run.line,
                    "rows": len(rows),
                    "flagged": len(run.rows) - len(rows),
                    "is_partial": run.partial,
                    "gpu": facts.gpu,
                    "nodes": facts.nodes,
                    "versions": run.machine.versions,
                    "environment": run.machine.environment,
                },
            }
        )
    except ValidationError as error:
        sentences = " ".join(one.detail for one in field_errors(error))
        raise RefusedError([_error(f"{at} the table cannot be stored: {sentences}")]) from error
    tally = Tally()
    for row in rows:
        tally.add(_Row.model_construct(**dict(row)))
    document = {key: value for key, value in run_document(run, {}).items() if key in _RECORDED}
    return PreparedJob(
        spec=spec.model_dump(mode="json"),
        is_failed=run.failed,
        message=" ".join(run.notes),
        rows=[row.model_dump(mode="json") for row in rows],
        tally=tally.model_dump(mode="json"),
        summary=summary_of(tally).model_dump(mode="json"),
        facts=asdict(facts),
        points=[asdict(point) for point in points_of(run)],
        document=document,
    )


class _Row(SweepRow):
    """A row as comparisons read it: no tool prints the rounds."""

    rounds_us: None = None


def _algorithm(run: Run, collective: str) -> str:
    if run.algorithm in nameable(collective):
        return run.algorithm or ""
    if run.tool == "ringscope":
        return "auto"
    return "mpi" if run.tool == "osu" else "nccl"


def _sweep_rows(run: Run, collective: str, ranks: int, algorithm: str) -> Iterator[SweepRow | None]:
    """Yield the rows; the printed time counts as one iteration, so that no comparison takes it for more."""
    seen: dict[tuple[int, bool], int] = {}
    for row in run.rows:
        rates = _rates(row, bus_factor(collective, ranks)) if not row.flags else None
        if rates is None:
            yield None
            continue
        time_us, algbw, busbw = rates
        dtype = _DTYPES.get(row.dtype or "", row.dtype or "")
        cycle = seen[row.size_bytes, row.in_place] = seen.get((row.size_bytes, row.in_place), -1) + 1
        times = dict.fromkeys(("min_us", "mean_us", "p50_us", "p95_us", "p99_us", "max_us"), time_us)
        yield SweepRow(
            collective=collective,
            algorithm=algorithm,
            chosen_algorithm=None,
            chosen_because=None,
            transport=IMPORTED,
            in_place=row.in_place,
            cycle=cycle,
            size_bytes=row.size_bytes,
            count=row.count if row.count is not None else row.size_bytes // ITEMSIZES.get(row.dtype or "", 1),
            dtype=dtype,
            op=row.redop or "none",
            ranks=ranks,
            iterations=1,
            time_us=time_us,
            algbw_gb_per_s=algbw,
            busbw_gb_per_s=busbw,
            wrong=None if row.wrong is None or not isfinite(row.wrong) else int(row.wrong),
            stdev_us=0.0,
            cv_percent=0.0,
            **times,
        )


def _rates(row: Row, factor: float) -> tuple[float, float, float] | None:
    """Return time, algbw and busbw as printed; what the tool left out follows from the others. None: too little."""
    algbw = row.algbw.value if row.algbw is not None else None
    time_us = row.time_us.value if row.time_us is not None else None
    if algbw is None and row.busbw is not None and factor:
        algbw = row.busbw.value / factor
    if time_us is None and algbw:
        time_us = row.size_bytes / (algbw * 1e3)
    if time_us is None or time_us <= 0 or not isfinite(time_us):
        return None
    if algbw is None:
        algbw = row.size_bytes / (time_us * 1e3)
    busbw = row.busbw.value if row.busbw is not None else algbw * factor
    return (time_us, algbw, busbw) if isfinite(algbw) and isfinite(busbw) else None


def _error(sentence: str) -> FieldError:
    return FieldError(pointer="", detail=sentence)
