"""`ringscope import --dry-run` reads, checks and judges files without a server."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.imports.published import one
from typer.testing import CliRunner

from ringscope.cli.main import build
from ringscope.contracts.errors import UserError

RUNNER = CliRunner()


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
