"""A report as one HTML file that loads nothing. Pure: the same document gives the same bytes."""

from collections.abc import Iterable, Mapping
from typing import Any

from ringscope.contracts.words.units import format_size, plural
from ringscope.report.chart import chart
from ringscope.report.document import Report, ReportedJob, Row, checksum, to_text
from ringscope.report.expectations import Expectations, Expected, expectations
from ringscope.report.markup import plain, shown
from ringscope.report.style import STYLE
from ringscope.report.untested import untested

OPENING = '<script type="application/json" id="ringscope-report">'
CLOSING = "</script>"
CHECKSUM = '<meta name="ringscope-sha256" content="'
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_HEADINGS = (
    *("Algorithm", "Size", "Placement", "dtype", "Time us", "algbw GB/s", "busbw GB/s", "Wrong"),
    *("Expected GB/s", "Judgement", "Sources"),
)
_NUMBERS = frozenset({"Size", "Time us", "algbw GB/s", "busbw GB/s", "Wrong", "Expected GB/s"})


def render(report: Report) -> str:
    """Return the page."""
    text = to_text(report)
    digest = checksum(text)
    one = report.jobs[0].title if len(report.jobs) == 1 else plural(len(report.jobs), "measurement")
    title = f"Report: {one}"
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f'{CHECKSUM}{digest}">',
        f"<title>{shown(title)}</title>",
        f"<style>\n{STYLE}\n</style>",
        "</head>",
        "<body>",
        f"<h1>{shown(title)}</h1>",
        f'<p class="soft">Made on {shown(report.made_at)} by {shown(report.program)}.</p>',
        *_overview(report),
        *(line for number, job in enumerate(report.jobs, 1) for line in _job(number, job)),
        *_links(report),
        "<h2>What was not tested</h2>",
        _list(untested(report)),
        "<h2>Verification</h2>",
        "<p>All rows are in this file as JSON. <code>ringscope report --verify FILE</code> computes every bandwidth "
        "and judgement again from them and compares this page.</p>",
        f"<p>SHA-256 of the JSON: <code>{digest}</code></p>",
        f"{OPENING}{text}{CLOSING}",
        "</body>",
        "</html>",
        "",
    ]
    return "\n".join(parts)


def _overview(report: Report) -> Iterable[str]:
    yield "<h2>Summary</h2>"
    headings = ("", "Measured", "Ranks", "Best busbw GB/s", "Checked", "Wrong", "Judgement")
    yield _table(headings, (_summary(number, job) for number, job in enumerate(report.jobs, 1)), "", ("Ranks",))


def _summary(number: int, job: ReportedJob) -> list[str]:
    best = job.best[0] if job.best else None
    told = f"{best.busbw_gb_per_s:.4g} at {format_size(best.size_bytes)}" if best else "-"
    ranks = ", ".join(dict.fromkeys(str(row.ranks) for row in job.rows if row.ranks)) or "-"
    checked = sum(row.wrong is not None for row in job.rows)
    wrong = sum(bool(row.wrong) for row in job.rows)
    return [
        f'<a href="#job-{number}">{shown(job.title)}</a>',
        shown(", ".join(dict.fromkeys(row.collective for row in job.rows if row.collective)) or "-"),
        shown(ranks),
        shown(told),
        f"{checked} of {plural(len(job.rows), 'row')}",
        f'<span class="bad word">{plural(wrong, "row")}</span>' if wrong else "none" if checked else "-",
        _word(_word_of(job)),
    ]


def _word_of(job: ReportedJob) -> str:
    return "refused" if job.refused else str(job.judgement["word"]) if job.judgement else "not judged"


def _word(word: str) -> str:
    return f'<span class="word {_class(word)}">{shown(word)}</span>'


def _class(word: str) -> str:
    if word.startswith(("low", "impossible", "refused")):
        return "bad"
    return "good" if word.startswith(("as expected", "above")) else "open"


def _job(number: int, job: ReportedJob) -> Iterable[str]:
    yield f'<section id="job-{number}">'
    name = f"Job {job.id}: {job.title}" if job.id is not None else job.title
    yield f"<h2>{number}. {shown(name)}</h2>"
    word = _word_of(job)
    sentence = job.refused or (job.judgement["sentence"] if job.judgement else "Nothing was judged.")
    yield f'<div class="judged {_class(word)}">{_word(word)}<p>{shown(sentence)}</p></div>'
    facts = [(fact.name, fact.value) for fact in job.facts]
    facts += [("measured on", ", ".join(job.nodes))] if job.nodes else []
    facts += [("versions", ", ".join(f"{name} {version}" for name, version in sorted(job.versions.items())))] * bool(
        job.versions
    )
    if facts:
        yield "<dl>" + "".join(f"<dt>{shown(name)}</dt><dd>{shown(value)}</dd>" for name, value in facts) + "</dl>"
    if job.refused:
        yield "</section>"
        return
    yield "<h3>Bus bandwidth</h3>"
    yield chart(job)
    yield "<h3>Checked elements</h3>"
    yield f"<p>{shown(_checked(job.rows))}</p>"
    yield "<h3>Disturbed or crowded</h3>"
    yield _list(job.disturbed or ["Nothing is known to have disturbed it."])
    known = expectations(job.judgement)
    yield f"<h3>All {plural(len(job.rows), 'row')}</h3>"
    yield _table(_HEADINGS, (_row(row, known) for row in job.rows), "rows", _NUMBERS)
    yield from _references(known)
    yield "</section>"


def _checked(rows: list[Row]) -> str:
    checked = sum(row.wrong is not None for row in rows)
    wrong = [row for row in rows if row.wrong]
    flagged = sum(bool(row.flags) for row in rows)
    elements = sum(row.wrong or 0 for row in wrong)
    said = f"Of {plural(len(rows), 'row')}, {checked} had their elements checked"
    said += (
        f"; {len(wrong)} had wrong elements, {elements:.15g} in all, and count for nothing."
        if wrong
        else "; none was wrong."
    )
    if not checked:
        said = f"The elements of {plural(len(rows), 'row')} were not checked."
    return said + (f" {plural(flagged, 'row')} contradicted itself and counts for nothing." if flagged else "")


def _row(row: Row, known: Expectations) -> list[str]:
    judged = known.sizes.get((row.size_bytes, row.in_place))
    return [
        shown(row.algorithm or "-"),
        format_size(row.size_bytes),
        "in place" if row.in_place else "out of place",
        shown(row.dtype or "-"),
        *(_number(value) for value in (row.time_us, row.algbw_gb_per_s, row.busbw_gb_per_s)),
        "-" if row.wrong is None else f'<span class="bad word">{row.wrong:.15g}</span>' if row.wrong else "0",
        _interval(judged),
        _judged(row, judged),
        shown(", ".join(map(str, judged.numbers)) if judged else "-"),
    ]


def _judged(row: Row, judged: Expected | None) -> str:
    if row.wrong:
        return _word("refused: wrong elements")
    if row.flags:
        return _word("refused: not " + ", not ".join(row.flags))
    return "-" if judged is None else _word(judged.word)


def _interval(judged: Expected | None) -> str:
    return "-" if judged is None or judged.low is None else f"{judged.low:.4g} to {judged.high:.4g}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"


def _references(known: Expectations) -> Iterable[str]:
    if not known.references:
        return
    yield "<h3>Sources of what was expected</h3>"
    rows = ([str(number), *_reference(one)] for number, one in enumerate(known.references, 1))
    yield _table(("", "Kind", "Source", "Address", "Date"), rows, "rows")


def _reference(one: Mapping[str, Any]) -> list[str]:
    url = plain(one["url"] or "")
    link = f'<a href="{shown(url)}">{shown(url)}</a>' if url.startswith(("https://", "http://")) else shown(url)
    return [shown(one["kind"]), shown(one["source"]), link, shown(one["date"] or "")]


def _links(report: Report) -> Iterable[str]:
    yield "<h2>Links between the nodes</h2>"
    if not report.links:
        yield "<p>No job of this report or cluster measured the nodes pair by pair.</p>"
        return
    nodes = sorted({name for link in report.links for name in link.nodes})
    values = {frozenset(link.nodes): link for link in report.links}
    yield "<p>Bus bandwidth in GB/s by the newest job that measured the pair.</p>"
    rows = ([f"<b>{shown(one)}</b>", *(_pair(values.get(frozenset((one, other)))) for other in nodes)] for one in nodes)
    yield _table(("", *nodes), rows, "rows", nodes)


def _pair(link: Any) -> str:
    return "-" if link is None else f"{link.busbw_gb_per_s:.4g}"


def _list(sentences: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{shown(sentence)}</li>" for sentence in sentences) + "</ul>"


def _table(
    headings: Iterable[str], rows: Iterable[list[str]], name: str = "", numbers: Iterable[str] = frozenset()
) -> str:
    """Return a table; the cells are markup, and the headings are text."""
    columns, right = list(headings), set(numbers)
    marks = [' class="n"' if column in right else "" for column in columns]
    head = "".join(f"<th{mark}>{shown(column)}</th>" for column, mark in zip(columns, marks, strict=True))
    body = "\n".join(
        "<tr>" + "".join(f"<td{mark}>{cell}</td>" for cell, mark in zip(row, marks, strict=True)) + "</tr>"
        for row in rows
    )
    return (
        f'<div class="wide"><table class="{name}"><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'
    )
