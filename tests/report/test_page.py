"""A page is one file without markup from a job's text, with charts, sources and what was not tested."""

import re
from html.parser import HTMLParser

from tests.report.parts import HOSTILE, benchmark, files, report, row

from ringscope.imports.judged import Given
from ringscope.report.document import Report
from ringscope.report.files import reported_file
from ringscope.report.page import render


class Elements(HTMLParser):
    """The tags and the text outside of the style and the embedded rows."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def test_no_text_of_a_job_becomes_markup() -> None:
    rows = [row(1 << 20, 500.0, HOSTILE), row(1 << 21, 900.0, HOSTILE)]
    hostile = benchmark(HOSTILE, rows, attempts=[{"nodes": [HOSTILE]}])
    refused = reported_file(HOSTILE, b"nothing", Given(), ())
    page = render(report(hostile, *refused))
    found, usual = (
        Elements(page),
        Elements(render(report(benchmark("x", [row(1 << 20, 5e2, "x"), row(1 << 21, 9e2, "x")]), *refused))),
    )
    assert found.tags.count("script") == 1 and "img" not in found.tags
    assert set(found.tags) == set(usual.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    assert "\x1b" not in page and "\u202e" not in page
    assert "<script>alert(1)</script>" in found.text


def test_an_address_that_is_no_web_address_is_no_link() -> None:
    made = report(*files("h100_1_node.txt"))
    assert made.jobs[0].judgement is not None
    for size in made.jobs[0].judgement["sizes"]:
        for reference in size["references"]:
            reference["url"] = "javascript:alert(1)"
    links = [value for name, value in Elements(render(made)).attributes if name == "href"]
    assert links and all(str(link).startswith("#") for link in links)


def test_the_page_loads_nothing() -> None:
    page = render(report())
    assert not re.search(r"\b(?:src|srcset|data|action)=|@import|url\(", page)
    assert "default-src 'none'" in page
    assert {"link", "img", "iframe", "form"}.isdisjoint(Elements(page).tags)


def test_it_says_what_was_measured_judged_checked_disturbed_and_not_tested() -> None:
    text = Elements(render(report())).text
    for part in (
        *("Job 7: four ranks", "n0, n1", "mpich 5.0, numpy 2.3", "low by", "Another job ran beside it."),
        *("as expected", "NVIDIA H100", "These collectives were not measured: reduce_scatter", "n9", "1.25"),
        *(
            "Of 3 rows, 3 had their elements checked; none was wrong.",
            "Sources of what was expected",
        ),
    ):
        assert part in text, part


def test_each_measurement_with_two_sizes_has_a_chart_with_what_was_expected() -> None:
    made = report()
    page = render(made)
    assert page.count('role="img"') == len(made.jobs) == 3
    assert page.count("<polygon") == 3 and page.count("<polyline") >= 6


def test_one_size_and_no_row_have_no_chart() -> None:
    assert 'role="img"' not in render(report(benchmark(rows=[row(1 << 20, 500.0)])))
    assert "Nothing was measured." in render(report(*reported_file("x", b"nothing", Given(), ())))


def test_wrong_elements_are_counted_and_their_rows_marked() -> None:
    text = Elements(render(report(benchmark(rows=[row(1 << 20, 500.0), row(1 << 21, 900.0, wrong=12)])))).text
    assert "1 had wrong elements, 12 in all, and count for nothing" in text
    assert "refused: wrong elements" in text


def test_the_same_document_gives_the_same_page() -> None:
    made = report()
    assert render(made) == render(Report.model_validate(made.model_dump(mode="json")))
