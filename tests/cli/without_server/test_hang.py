"""`ringscope hang` explains dumps of the Flight Recorder without a server."""

import json
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from ringscope.cli.main import build
from ringscope.contracts.errors import UserError

RECORDED = Path(__file__).parents[2] / "hangs" / "recorded"
RUNNER = CliRunner()


def run(*arguments: str) -> tuple[int, str]:
    result = RUNNER.invoke(build("hang"), ["hang", *arguments])
    return result.exit_code, result.stdout


def refused(*arguments: str) -> str:
    result = RUNNER.invoke(build("hang"), ["hang", *arguments])
    assert isinstance(result.exception, UserError)
    return " ".join(result.exception.sentences)


def test_the_answer_is_the_first_line() -> None:
    code, text = run(str(RECORDED / "missing"))
    assert code == 1
    assert text.isascii()
    assert text.splitlines()[0].startswith("Rank 3 has not issued operation 21 of group 0 (default_pg), all_reduce at ")
    assert text.splitlines()[-1] == "19 operations of 4 ranks were compared."


def test_a_clean_run_exits_0() -> None:
    code, text = run(*map(str, sorted((RECORDED / "clean").iterdir())))
    assert (code, text[:11]) == (0, "No finding:")


def test_the_document_has_the_names_that_others_rely_on() -> None:
    code, text = run("--json", str(RECORDED / "size"))
    told = json.loads(text)
    assert code == 1
    assert told["answer"] == told["findings"][0]["sentence"]
    assert (told["ranks"], told["without_dump"]) == ([0, 1, 2], [3])
    finding = told["findings"][0]
    assert (finding["kind"], finding["ranks"], finding["sequence"]) == ("size", [0], 19)
    assert finding["found"]["input_sizes"] == [[2048]]
    assert finding["expected"]["source"].endswith("script.py:45")


def test_each_file_that_cannot_be_used_gets_a_sentence(tmp_path: Path) -> None:
    empty, text = tmp_path / "dump_0", tmp_path / "dump_1"
    empty.write_bytes(b"")
    text.write_text('{"pg_config": {}, "entries": []}')
    told = refused(str(empty), str(text), str(tmp_path / "dump_2"))
    assert "dump_0: the file is empty" in told
    assert "dump_1: the dump has no operation" in told and "TORCH_FR_BUFFER_SIZE" in told
    assert "dump_2: it cannot be read (No such file or directory)" in told


def test_one_rank_alone_and_one_rank_twice_are_refused(tmp_path: Path) -> None:
    one = RECORDED / "missing" / "dump_0"
    assert "give the dumps of all ranks" in refused(str(one))
    again = tmp_path / "dump_0"
    again.write_bytes(one.read_bytes())
    assert "both are of rank 0" in refused(str(one), str(again))


def test_it_loads_no_client_and_no_torch() -> None:
    code = (
        "import sys, ringscope.cli.main, ringscope.cli.commands.others.hang;"
        "heavy = ('ringscope.engine', 'torch', 'numpy');"
        "print([name for name in sys.modules if name.startswith(heavy)])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
