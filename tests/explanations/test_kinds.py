"""The kind of a file is found by its contents."""

from pathlib import Path

import pytest
from tests.hangs.virtual import as_json, pending

from ringscope.explanations.kinds import Kind, kinds_of, read_result

TESTS = Path(__file__).parents[1]
FOREIGN = {
    "flight_recorder": sorted((TESTS / "hangs" / "recorded" / "missing").iterdir())
    + sorted((TESTS / "hangs" / "foreign").glob("*_*[0-9e].json")),
    "nccl_log": sorted((TESTS / "nccl_log").glob("*/*.txt")),
    "nccl_inspector": sorted((TESTS / "nccl_inspector" / "foreign").glob("*.jsonl")),
    "nccl_ras": sorted((TESTS / "nccl_ras" / "foreign").glob("status_*[a-z].*")),
    "result": sorted((TESTS / "imports" / "foreign").glob("*/*")),
}
CASES = [(kind, path) for kind, paths in FOREIGN.items() for path in paths if not path.name.endswith(".expected.json")]


@pytest.mark.parametrize(("kind", "path"), CASES, ids=[path.name for _, path in CASES])
def test_every_real_file_is_known(kind: Kind, path: Path) -> None:
    assert kind in kinds_of(path.read_bytes())


def test_a_log_of_nccl_tests_with_nccls_own_lines_is_two_things() -> None:
    content = (TESTS / "imports" / "foreign" / "nccl-tests-text" / "mpirun_tag_output_efa_noise.txt").read_bytes()
    assert kinds_of(content) == ("result", "nccl_log")


@pytest.mark.parametrize("content", [b"", b"hello\n", b"{}", b"\x89PNG\r\n\x1a\n\0\0", b"[1, 2]\n", b"\xff" * 40])
def test_other_files_are_not_known(content: bytes) -> None:
    assert kinds_of(content) == ()


def test_the_import_says_what_a_file_is_that_is_no_result() -> None:
    reading = read_result(as_json([pending(1)]))
    assert reading.refused == (
        "Line 1: this is a dump of PyTorch's Flight Recorder, not a result; `ringscope hang` explains it, and so does "
        "the page Diagnose."
    )
    assert "no result of nccl-tests" in (read_result(b"hello\n").refused or "")
