"""NCCL's log is asked for where nobody else did, read as one line, and asked for in no variable that stays."""

import os
from pathlib import Path

import pytest

from ringscope.engine.vendors.nccl_report import NcclReport

WRITTEN = Path(__file__).parents[1] / "nccl_log" / "written" / "v2_8_roce.txt"


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NCCL_DEBUG", "NCCL_DEBUG_FILE"):
        monkeypatch.delenv(name, raising=False)


def test_the_log_that_nccl_writes_is_one_line_and_follows_it() -> None:
    report = NcclReport()
    with report.asked():
        path = Path(os.environ["NCCL_DEBUG_FILE"])
        assert os.environ["NCCL_DEBUG"] == "INFO"
    assert not {"NCCL_DEBUG", "NCCL_DEBUG_FILE"} & os.environ.keys()
    assert report.told is None, "NCCL has written nothing yet"
    whole = WRITTEN.read_bytes()
    path.write_bytes(whole[: whole.index(b" via ")])
    assert report.told is not None and "GDRDMA" not in report.told
    path.write_bytes(whole)
    assert report.told is not None and "2 channels; NET/IB/0/GDRDMA" in report.told
    path.unlink()
    assert report.told is not None, "what was read stays"


def test_a_job_that_asks_for_a_log_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NCCL_DEBUG", "WARN")
    report = NcclReport()
    with report.asked():
        assert os.environ["NCCL_DEBUG"] == "WARN" and "NCCL_DEBUG_FILE" not in os.environ
    assert report.told is None and os.environ["NCCL_DEBUG"] == "WARN"
