"""A report as JUnit XML: what fails, what is skipped, and that hostile text stays text."""

from xml.etree.ElementTree import Element, fromstring

from tests.report.parts import HOSTILE, benchmark, files, report, row

from ringscope.imports.judged import Given
from ringscope.report.document import ReportedJob
from ringscope.report.files import reported_file
from ringscope.report.junit import junit


def suites(*jobs: ReportedJob) -> list[Element]:
    return list(fromstring(junit(report(*jobs))))


def test_a_low_size_fails_and_one_as_expected_passes() -> None:
    (suite,) = suites(benchmark())
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("four ranks", "2", "1")
    small, large = suite
    assert small.get("name") == "1 MiB out of place (1048576 B)"
    assert large.find("failure") is not None and "low: 1.678 GB/s, expected" in str(large[0].get("message"))


def test_wrong_elements_fail_and_what_is_unknown_is_skipped() -> None:
    (suite,) = suites(benchmark(rows=[row(1 << 20, 500.0), row(1 << 20, 600.0, "tree", wrong=3)]))
    assert suite[0][0].get("message") == "Wrong elements: tree."
    (unknown,) = suites(*files("a100_2_nodes_unknown_cards.txt"))
    assert {int(unknown.get(name, "")) for name in ("failures",)} == {0}
    refused, crashed = suites(*reported_file("x", b"nothing", Given(), ()), benchmark(state="failed"))
    assert refused.get("failures") == "1"
    assert crashed[0][0].get("message") == "The run is failed."


def test_a_run_that_nobody_can_judge_is_skipped() -> None:
    job = benchmark().model_copy(update={"judgement": None})
    (suite,) = suites(job)
    assert suite.get("skipped") == suite.get("tests") == "2"


def test_hostile_text_stays_text() -> None:
    (suite,) = suites(benchmark(HOSTILE))
    assert str(suite.get("name")).startswith("</script><script>alert(1)")
    assert {child.tag for child in suite.iter()} <= {"testsuite", "testcase", "failure", "skipped"}
