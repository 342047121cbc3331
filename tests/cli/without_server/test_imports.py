"""`ringscope import --dry-run` reads, checks and judges files without a server."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.expected import test_published
from tests.expected.runs import HELD_OUT
from tests.imports.published import one
from typer.testing import CliRunner

from ringscope.cli.main import build
from ringscope.contracts.errors import UserError

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def _own_data_dir(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RINGSCOPE_DATA_DIR", str(tmp_path / "data"))


def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str]:
    result = RUNNER.invoke(build("import"), ["import", *arguments], input=stdin)
    return result.exit_code, result.stdout


def test_the_document_has_the_names_that_others_rely_on() -> None:
    paths = [str(one(name).path) for name in ("alltoall_then_sendrecv_double", "two_footers_no_rows")]
    code, text = run("--dry-run", "--json", *paths)
    read, refused = json.loads(text)["files"]
    assert code == 1
    assert (read["path"], read["refused"], len(read["runs"])) == (paths[0], None, 2)
    assert refused["refused"].startswith("Line 1: ")
    first = read["runs"][0]
    assert {"tool", "collective", "ranks", "partial", "failed", "refused", "rows", "judgement"} <= first.keys()
    row = first["rows"][1]
    assert {name: row[name] for name in ("size_bytes", "in_place", "dtype", "time_us", "wrong", "flags")} == {
        "size_bytes": 33554432,
        "in_place": True,
        "dtype": "double",
        "time_us": 967.5,
        "wrong": None,
        "flags": [],
    }
    assert (row["algbw_gb_per_s"], row["busbw_gb_per_s"]) == (34.68, 17.34)
    assert {"word", "sentence", "references"} <= first["judgement"].keys()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("alltoall_then_sendrecv_double", 0),
        ("osu_allreduce_144_ranks", 0),
        ("legacy_three_headers_in_one_file", 1),
        ("csv_header_one_column_short", 1),
        ("crash_devices_busy", 1),
    ],
)
def test_the_exit_code_says_whether_all_was_read(name: str, code: int) -> None:
    assert run("--dry-run", str(one(name).path))[0] == code


def test_standard_input_is_a_file() -> None:
    code, text = run("--dry-run", "-", stdin=one("mpirun_tag_output_efa_noise").content)
    assert code == 0
    assert "standard input: 1 run" in text
    assert "62 rows read, none contradicts itself." in text


def test_marked_rows_say_what_they_contradict() -> None:
    _, text = run("--dry-run", str(one("legacy_three_headers_in_one_file").path))
    assert "not algbw = size / time; not busbw = algbw x factor" in text
    assert "44 marked, which count for nothing" in text


def test_a_missing_file_is_told_in_a_sentence() -> None:
    result = RUNNER.invoke(build("import"), ["import", "--dry-run", "/nowhere"])
    assert isinstance(result.exception, UserError)
    assert str(result.exception) == "/nowhere: it cannot be read (No such file or directory); name a file with results."


def test_reading_needs_no_server_and_no_engine() -> None:
    """A command that loads neither the client nor the engine starts in a fraction of a second."""
    code = (
        "import sys, ringscope.cli.main, ringscope.cli.commands.imports;"
        "heavy = ('ringscope.client', 'ringscope.engine', 'pydantic', 'httpx', 'numpy');"
        "print([name for name in sys.modules if name.startswith(heavy)])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_a_path_may_have_any_name(tmp_path: Path) -> None:
    odd = tmp_path / "a b\u202e.log"
    odd.write_bytes(one("mpirun_tag_output_efa_noise").content)
    code, text = run("--dry-run", str(odd))
    assert code == 0 and "\u202e" not in text


def test_a_judgement_is_printed_and_explained() -> None:
    path = str(HELD_OUT / "h100_1_node.txt")
    code, text = run("--dry-run", "--explain", path)
    assert code == 1, "the file has no footer"
    assert "476.5 GB/s at 4 GiB, where published runs suggest 414 to 547 GB/s" in text
    assert "https://github.com/Azure/AI-benchmarking-guide" in text
    _, document = run("--dry-run", "--json", path)
    judgement = json.loads(document)["files"][0]["runs"][0]["judgement"]
    assert judgement["word"] == "as expected"
    assert {reference["kind"] for reference in judgement["references"]} == {"limit", "model", "published"}


def test_facts_can_be_added() -> None:
    path = str(HELD_OUT / "h100_2_nodes_ib400.txt")
    assert "does not state the GPU (--gpu) and the number of nodes (--nodes)" in run("--dry-run", path)[1]
    assert "as expected" in run("--dry-run", "--gpu", "H100", "--nodes", "2", "--cards", "8x400G", path)[1]


@pytest.mark.parametrize("option", [("--gpu", "Voodoo"), ("--cards", "many"), ("--collective", "all")])
def test_a_fact_that_nobody_knows_is_refused(option: tuple[str, str]) -> None:
    result = RUNNER.invoke(build("import"), ["import", "--dry-run", *option, "-"])
    assert isinstance(result.exception, UserError) and str(result.exception).startswith(option[0])


def test_expected_lists_searches_and_adds(tmp_path: Path) -> None:
    app, place = build("expected"), ["--data-dir", str(tmp_path)]
    listed = RUNNER.invoke(app, ["expected", *place]).stdout
    assert "azure-h100" in listed and "hisohara-mi300x" in listed
    found = RUNNER.invoke(app, ["expected", "MI300X", *place]).stdout
    assert "azure-h100" not in found and "https://github.com/hisohara/ai-scripts" in found
    mine = tmp_path / "mine.toml"
    mine.write_text(test_published.text(id='"our-nodes"', rows="[[1073741824, 250.0], [8589934592, 255.0]]"))
    assert "Added 1 source with 2 rows." in RUNNER.invoke(app, ["expected", "--add", str(mine), *place]).stdout
    assert "our-nodes" in RUNNER.invoke(app, ["expected", "our-nodes", *place]).stdout
    again = RUNNER.invoke(app, ["expected", "--add", str(mine), *place])
    assert isinstance(again.exception, UserError) and "the same id" in str(again.exception)
    _, text = run("--dry-run", "--data-dir", str(tmp_path), str(HELD_OUT / "h100_1_node.txt"))
    assert "own runs suggest" in text
