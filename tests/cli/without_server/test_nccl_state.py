"""`ringscope nccl-inspector` and `ringscope nccl-ras` explain files without a server."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ringscope.cli.main import build
from ringscope.contracts.errors import UserError

TESTS = Path(__file__).parents[2]
RECORDS = TESTS / "nccl_inspector" / "foreign" / "v4_1_verbose_proxy.jsonl"
REPORT = TESTS / "nccl_ras" / "foreign" / "status_json_missing_rank.json"
RUNNER = CliRunner()


def run(command: str, *arguments: str) -> tuple[int, str]:
    result = RUNNER.invoke(build(command), [command, *arguments])
    return result.exit_code, result.stdout


def test_series_are_a_table_below_the_answer() -> None:
    code, text = run("nccl-inspector", str(RECORDS))
    assert code == 0 and text.isascii()
    assert text.splitlines()[0] == "No drop: 2 records in 2 series."
    rows = {line.split()[2]: line.split() for line in text.splitlines()[3:]}
    assert rows["AllReduce"] == ["0x7f8c496ae9f661", "8", "AllReduce", "16", "GiB", "1", "485.1", "485.1", "485.1", "0"]
    assert rows["ReduceScatter"][-2:] == ["366.1", "0"]


def test_the_report_is_a_sentence() -> None:
    code, text = run("nccl-ras", str(REPORT))
    assert (code, text.count("\n")) == (1, 1)
    assert text.startswith("Rank 1 (GPU 1, process 1524345 on 192.0.2.245)")


def test_both_have_json() -> None:
    assert json.loads(run("nccl-inspector", "--json", str(RECORDS))[1])["series"][0]["ranks"] == 8
    told = json.loads(run("nccl-ras", "--json", str(REPORT))[1])
    assert told["communicators"][0]["missing_ranks"] == [1]
    assert told["remarks"][0]["ranks"] == [1]


def test_a_report_beside_an_earlier_one(tmp_path: Path) -> None:
    report, earlier = REPORT.with_name("status_mismatch_progressing.txt"), tmp_path / "earlier.txt"
    earlier.write_text(report.read_text().replace("operation 66", "operation 65"))
    assert run("nccl-ras", str(report))[0] == 1
    assert run("nccl-ras", str(report), "--before", str(earlier))[0] == 0
    code, text = run("nccl-ras", str(report), "--before", str(report))
    assert code == 1 and "so they hang" in text


def test_json_that_was_repaired_is_told_so(tmp_path: Path) -> None:
    broken = tmp_path / "ras.json"
    broken.write_text(REPORT.read_text().replace('"rank": 1,', '"rank": 1'))
    assert run("nccl-ras", str(broken))[1].splitlines()[-1].startswith("The JSON missed commas")


@pytest.mark.parametrize("command", ["nccl-inspector", "nccl-ras"])
def test_what_is_neither_is_refused(command: str, tmp_path: Path) -> None:
    other = tmp_path / "other"
    for content in (b"", b"hello\n", b"\0\1"):
        other.write_bytes(content)
        result = RUNNER.invoke(build(command), [command, str(other)])
        assert isinstance(result.exception, UserError)
