"""JUnit XML for CI. In a report each job is a suite, each size and placement a case. Pure."""

from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ringscope.contracts.words.units import format_size
from ringscope.report.document import Report, ReportedJob, Row
from ringscope.report.expectations import expectations
from ringscope.report.markup import plain


def junit(report: Report) -> str:
    """Return the XML: a low or impossible size and one with wrong elements fails, an unknown one is skipped."""
    return document((job.title, _cases(job)) for job in report.jobs)


def document(suites: Iterable[tuple[str, Iterable[Element]]]) -> str:
    """Return the XML of suites, each a title with its cases."""
    root = Element("testsuites", name="ringscope")
    for title, cases in suites:
        suite = SubElement(root, "testsuite", name=plain(title))
        for case in cases:
            suite.append(case)
        _count(suite)
    _count(root)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def new_case(title: str, name: str) -> Element:
    """Return a case of the suite with this title."""
    return Element("testcase", classname=plain(title), name=plain(name))


def _count(element: Element) -> None:
    element.set("tests", str(len(list(element.iter("testcase")))))
    element.set("errors", str(len(list(element.iter("error")))))
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
    return new_case(job.title, name)
