"""A report's numbers and judgements, computed again from its rows; what differs is said in sentences. Pure."""

import json
import re
from collections.abc import Iterator
from itertools import zip_longest
from math import isclose
from typing import Any

from pydantic import ValidationError

from ringscope.contracts.words.collectives import COLLECTIVES
from ringscope.contracts.words.units import format_size
from ringscope.expected.again import judged_again
from ringscope.expected.published import published
from ringscope.expected.references_again import differing_references
from ringscope.imports.names import factor
from ringscope.report.document import FORMAT, LAYOUT, Report, ReportedJob, Row, best_of, checksum, counts
from ringscope.report.markup import plain
from ringscope.report.page import CHECKSUM, CLOSING, OPENING, render

_RELATIVE = 1e-6
_MOST_QUOTED = 120


class NoReportError(ValueError):
    """The file is no report; the argument says in a sentence why."""


def verify(page: str) -> tuple[Report, list[str]]:
    """Return the embedded report and a sentence for each thing that differs; NoReportError if there is none."""
    text = _embedded(page)
    report = _read(text)
    return report, [*_checksum(page, text), *_recomputed(report), *_rendered(page, report)]


def _embedded(page: str) -> str:
    start = page.find(OPENING)
    end = page.find(CLOSING, start)
    if start < 0 or end < 0:
        raise NoReportError("it has no embedded rows; name a file that `ringscope report JOB -o FILE` wrote.")
    return page[start + len(OPENING) : end]


def _read(text: str) -> Report:
    try:
        document = json.loads(text)
        number = document.get("format") if isinstance(document, dict) else None
        if isinstance(number, int) and number != FORMAT:
            raise NoReportError(
                f"its embedded rows have format {number}, and this version reads format {FORMAT}; verify it with the "
                "version that made it."
            )
        return Report.model_validate(document)
    except NoReportError:
        raise
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise NoReportError(
            f"its embedded rows cannot be read ({plain(where)}: {first['msg'].rstrip('.').lower()}); it is damaged, or "
            "a later version made it."
        ) from None
    except (ValueError, RecursionError):
        raise NoReportError("its embedded rows are no JSON; the file is damaged.") from None


def _checksum(page: str, text: str) -> Iterator[str]:
    told = re.search(re.escape(CHECKSUM) + r"([^\"]{0,200})\"", page)
    actual = checksum(text)
    if told is None:
        yield "The page does not state the SHA-256 of its rows."
    elif told[1] != actual:
        yield f"The SHA-256 of the embedded rows is {actual}, but the page states {plain(told[1])}."


def _recomputed(report: Report) -> Iterator[str]:
    for number, job in enumerate(report.jobs, 1):
        name = f"{number} ({plain(job.title)})"
        for row in job.rows:
            yield from (f"Measurement {name}: {sentence}" for sentence in _row(row))
        if job.best != best_of(job.rows):
            yield f"Measurement {name}: the best bandwidths are not those of its rows."
        if job.judgement is not None:
            yield from (f"Measurement {name}: {sentence}" for sentence in _judgement(job, job.judgement))


def _row(row: Row) -> Iterator[str]:
    """Compare algbw with size / time, and busbw with algbw x factor; a row with flags is known to contradict itself."""
    if row.flags:
        return
    what = f"{row.algorithm or 'the row'} at {format_size(row.size_bytes)}, "
    what += "in place" if row.in_place else "out of place"
    halves = row.halves or {}
    time, algbw, busbw = row.time_us, row.algbw_gb_per_s, row.busbw_gb_per_s
    if time and algbw is not None:
        low, high = _interval(time, halves.get("time", 0.0))
        rates = (row.size_bytes / (high * 1e3), row.size_bytes / (low * 1e3) if low > 0 else float("inf"))
        if not _meet(rates, _interval(algbw, halves.get("algbw", 0.0))):
            yield f"{what}: algbw is {algbw:.6g} GB/s, but size / time is {row.size_bytes / (time * 1e3):.6g} GB/s."
    if algbw is not None and busbw is not None and row.collective and row.ranks:
        try:
            times = factor(row.collective, row.ranks)
        except ValueError:
            return
        low, high = _interval(algbw, halves.get("algbw", 0.0))
        if not _meet((low * times, high * times), _interval(busbw, halves.get("busbw", 0.0))):
            yield f"{what}: busbw is {busbw:.6g} GB/s, but algbw x factor is {algbw * times:.6g} GB/s."


def _interval(value: float, half: float) -> tuple[float, float]:
    return max(0.0, value - half), value + half


def _meet(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[1] * (1 + _RELATIVE) and one[1] >= other[0] * (1 - _RELATIVE)


def _judgement(job: ReportedJob, told: dict[str, Any]) -> Iterator[str]:
    try:
        again = judged_again(told)
    except ValueError as error:
        yield f"the judgement cannot be made again: {error}"
        return
    if again is not None:
        for name in ("word", "sentence", "missing", "transport", "facts", "references"):
            if json.loads(json.dumps(again[name])) != told.get(name):
                yield f"the judgement's {name} is not what its facts, rows and references give."
        sizes: Any = again["sizes"]
        for one, other in zip(told["sizes"], json.loads(json.dumps(sizes)), strict=False):
            if one != other:
                names = ", ".join(name for name in other if one.get(name) != other[name])
                yield (
                    f"the judgement at {format_size(one['size_bytes'])} is {plain(one.get('word'))}, but its "
                    f"references give {plain(other['word'])} (they differ in {names})."
                )
        if len(told["sizes"]) != len(sizes):
            yield "the judgement has more sizes than its rows give."
        yield from _points(job, told)
        yield from _sources(told)
        yield from _references(told)
    elif told.get("word") != "unknown" or told.get("sizes"):
        yield "the judgement is based on nothing, but says something."


def _points(job: ReportedJob, told: dict[str, Any]) -> Iterator[str]:
    """Compare the judged bandwidths with the rows: of a benchmark the best row of each size, else every row."""
    values: dict[tuple[int, bool], set[float]] = {}
    for row in filter(counts, job.rows):
        assert row.busbw_gb_per_s is not None
        values.setdefault((row.size_bytes, row.in_place), set()).add(row.busbw_gb_per_s)
    judged = set()
    for size in told["sizes"]:
        place = size["size_bytes"], size["in_place"]
        judged.add(place)
        known = values.get(place, set())
        wanted = {max(known)} if known and job.kind == "benchmark" else known
        value = size["busbw_gb_per_s"]
        if not any(isclose(value, one, rel_tol=_RELATIVE) for one in wanted):
            yield f"the judgement at {format_size(place[0])} is of {value:.6g} GB/s, which is not in the rows."
        elif not size["low_gb_per_s"] <= value * (1 + _RELATIVE) or not value <= size["high_gb_per_s"] * (
            1 + _RELATIVE
        ):
            yield f"the judgement at {format_size(place[0])} has an interval without its value."
    facts = told.get("facts") or {}
    if facts.get("collective", "all_reduce") in COLLECTIVES and values.keys() - judged and job.kind != "imported":
        yield f"the judgement leaves out {len(values.keys() - judged)} of the sizes that were measured."


def _sources(told: dict[str, Any]) -> Iterator[str]:
    """Compare the published references with the data file; a later version may have others."""
    known = {(one.url, one.date) for one in published()}
    for url, date in dict.fromkeys(
        (one["url"], one["date"]) for size in told["sizes"] for one in size["references"] if one["kind"] == "published"
    ):
        if (url, date) not in known:
            yield f"the published run {plain(url)} ({plain(date)}) is not in this version's data file."


def _references(told: dict[str, Any]) -> Iterator[str]:
    """Compare the references with those that the facts and the data file give."""
    try:
        for size_bytes, sentence in differing_references(told, published()):
            yield f"at {format_size(size_bytes)}, {plain(sentence)}."
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError, AssertionError):
        yield "the references cannot be made again from the facts."


def only_by_checksum(report: Report) -> list[str]:
    """Return what cannot be computed again, and is guarded by the SHA-256 alone, in sentences."""
    own = [
        job
        for job in report.jobs
        for size in (job.judgement or {}).get("sizes", ())
        if any(one["kind"] == "baseline" for one in size["references"])
    ]
    return [
        "Only the SHA-256 guards what was measured: times, wrong elements, facts, versions, disturbances and links.",
        *(["Nor does anything else guard the bandwidths of own runs by which it was judged."] if own else []),
    ]


def _rendered(page: str, report: Report) -> Iterator[str]:
    """Render the page anew and compare it byte for byte; the first line that differs is quoted."""
    if report.layout != LAYOUT:
        yield (
            f"The page has layout {report.layout} and this version makes layout {LAYOUT}, so only the embedded rows "
            "were compared, and not what the page shows; verify it with the version that made it "
            f"({plain(report.program)})."
        )
        return
    try:
        wanted = render(report)
    except (ArithmeticError, KeyError, TypeError, ValueError) as error:
        yield f"The page cannot be made from the embedded rows ({type(error).__name__})."
        return
    if page == wanted:
        return
    for number, (is_there, should) in enumerate(zip_longest(page.split("\n"), wanted.split("\n")), 1):
        if is_there != should:
            yield f"Line {number} of the file has {_differing(is_there, should)}."
            return


def _differing(is_there: str | None, should: str | None) -> str:
    """Return the part in which two lines differ, with some characters around it."""
    one, other = is_there or "", should or ""
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    part = slice(max(0, start - 20), max(0, start - 20) + _MOST_QUOTED)
    return f"{plain(one[part])!r}, but its rows give {plain(other[part])!r}"
