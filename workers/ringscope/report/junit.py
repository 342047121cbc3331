"""A report as JUnit XML for CI: each job is a suite, each size and placement a case. Pure."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ringscope.contracts.words.units import format_size
from ringscope.report.document import Report, ReportedJob, Row
from ringscope.report.expectations import expectations
from ringscope.report.markup import plain


def junit(report: Report) -> str:
    """Return the XML: a low or impossible size and one with wrong elements fails, an unknown one is skipped."""
    suites = Element("testsuites", name="ringscope")
    for job in report.jobs:
        suite = SubElement(suites, "testsuite", name=plain(job.title))
        for case in _cases(job):
            suite.append(case)
        _count(suite)
    _count(suites)
    indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, encoding="unicode") + "\n"


def _count(element: Element) -> None:
    element.set("tests", str(len(list(element.iter("testcase")))))
    element.set("failures", str(len(list(element.iter("failure")))))
    element.set("skipped", str(len(list(element.iter("skipped")))))


def _cases(job: ReportedJob) -> Iterator[Element]:
    if job.refused or job.state in ("failed", "cancelled"):
        case = _case(job, "the run")
        SubElement(case, "failure", message=plain(job.refused or f"The run is {job.state}."))
        yield case
    known = expectations(job.judgement).sizes
    sentence = plain(job.judgement["sentence"]) if job.judgement else "Nothing was judged."
    rows: dict[tuple[int, bool], list[Row]] = {}
    for row in job.rows:
        rows.setdefault((row.size_bytes, row.in_place), []).append(row)
    for (size, in_place), found in rows.items():
        case = _case(job, f"{format_size(size)} {'in place' if in_place else 'out of place'} ({size} B)")
        wrong = [row for row in found if row.wrong]
        judged = known.get((size, in_place))
        if wrong:
            names = ", ".join(dict.fromkeys(row.algorithm or "the row" for row in wrong))
            SubElement(case, "failure", message=plain(f"Wrong elements: {names}."))
        elif any(row.flags for row in found):
            flags = "; ".join(dict.fromkeys(f"not {flag}" for row in found for flag in row.flags))
            SubElement(case, "failure", message=plain(f"The row contradicts itself: {flags}."))
        elif judged is not None and judged.word in ("low", "impossible"):
            value = max(row.busbw_gb_per_s or 0.0 for row in found)
            expected = f", expected {judged.low:.4g} to {judged.high:.4g}" if judged.low is not None else ""
            failure = SubElement(case, "failure", message=f"{judged.word}: {value:.4g} GB/s{expected}")
            failure.text = sentence
        elif judged is None or judged.word == "unknown":
            SubElement(case, "skipped", message=sentence)
        yield case


def _case(job: ReportedJob, name: str) -> Element:
    return Element("testcase", classname=plain(job.title), name=name)
