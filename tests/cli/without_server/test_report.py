"""`ringscope report` from files, and its verification, without a server."""

import re
from pathlib import Path
from xml.etree.ElementTree import parse

import pytest
from tests.expected.runs import HELD_OUT
from typer.testing import CliRunner

from ringscope.cli.main import build
from ringscope.contracts.errors import UserError

RUNNER = CliRunner()
H100 = str(HELD_OUT / "h100_1_node.txt")


@pytest.fixture(autouse=True)
def _own_data_dir(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RINGSCOPE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> tuple[int, str]:
    result = RUNNER.invoke(build("report"), ["report", *arguments])
    if isinstance(result.exception, UserError):
        return 2, str(result.exception)
    return result.exit_code, result.stdout


def test_a_report_of_a_file_is_written_and_verified() -> None:
    assert run("--from", H100, "-o", "a.html", "--junit", "a.xml") == (0, "Wrote a.html.\nWrote a.xml.\n")
    code, text = run("--verify", "a.html")
    assert code == 0, text
    assert re.fullmatch(
        r"a\.html: every number and judgement of 1 measurement with 12 rows is .*\n"
        r"SHA-256 [0-9a-f]{64}\nOnly the SHA-256 guards .*\n",
        text,
    )
    assert parse("a.xml").getroot().get("tests") == "12"


def test_an_edited_number_is_named_and_the_exit_code_is_1() -> None:
    run("--from", H100, "-o", "a.html")
    page = Path("a.html").read_text()
    assert '"busbw_gb_per_s":382.99' in page
    Path("a.html").write_text(page.replace('"busbw_gb_per_s":382.99', '"busbw_gb_per_s":392.99'))
    code, text = run("--verify", "a.html")
    assert code == 1
    assert "The SHA-256 of the embedded rows is" in text
    assert "a.html: " in text.splitlines()[-1] and "differences in 1 measurement" in text


def test_facts_that_the_file_lacks_change_the_judgement() -> None:
    log = str(HELD_OUT / "a100_2_nodes_unknown_cards.txt")
    run("--from", log, "--cards", "8x200G", "-o", "a.html")
    assert "8 x 200 Gbit/s" in Path("a.html").read_text()
    assert run("--verify", "a.html")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "There is nothing to report; name a job, or a file with --from."),
        (["--from", H100], "There is no file to write; add -o report.html or --junit report.xml."),
        (["--from", H100, "-o", "no/such/a.html"], "no/such/a.html cannot be written (No such file or directory)"),
        (["--from", "missing.log", "-o", "a.html"], "missing.log: it cannot be read"),
        (["--verify", "missing.html"], "--verify: missing.html cannot be read (No such file or directory)"),
        (["--verify", H100], "it has no embedded rows; name a file that `ringscope report JOB -o FILE` wrote."),
        (["--verify", "x", "-o", "a.html"], "--verify: it takes one report and nothing else"),
        (["--from", H100, "-o", "a.html", "--gpu", "toaster"], "--gpu: 'toaster' is no known GPU"),
    ],
)
def test_bad_input_is_a_sentence(arguments: list[str], sentence: str) -> None:
    code, text = run(*arguments)
    assert code == 2
    assert sentence in text


def test_a_binary_file_is_no_report() -> None:
    Path("a.bin").write_bytes(b"\xff\xfe\x00")
    assert run("--verify", "a.bin") == (2, "--verify: a.bin is no text; name a report.")
