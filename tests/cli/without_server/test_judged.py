"""The line with which `ringscope bench` judges the bandwidth of GPUs."""

from pathlib import Path
from typing import Any

import pytest
from tests.judging.test_verdict import row

from ringscope.cli.results.judged import say_judgement
from ringscope.contracts.job import JobSpec
from ringscope.contracts.record import Hello
from ringscope.rank.local import Run

MODEL = "NVIDIA H100 80GB HBM3"
GIB = 1 << 30


def job() -> JobSpec:
    return JobSpec.model_validate({"benchmark": {"collective": "all_reduce"}, "placement": {"ranks": 8}})


def driver(path: Path, models: list[str]) -> Path:
    for number, model in enumerate(models):
        gpu = path / f"0000:{number:02x}:00.0"
        gpu.mkdir(parents=True)
        (gpu / "information").write_text(f"Model: \t\t {model}\nIRQ:   \t\t 5\nDevice Minor: \t {number}\n")
    return path


def hello(rank: int, device: str) -> Hello:
    return Hello(rank=rank, local_rank=rank, ranks=8, pid=1, host="a", device=device, time_ns=0)


def run(busbw_gb_per_s: float, *, on_gpus: bool = True, **more: Any) -> Run:
    hellos = [hello(rank, f"{rank} [0000:{rank:02X}:00.0]" if on_gpus else "cpu") for rank in range(8)]
    measured = row("nccl", GIB / 1e3 / busbw_gb_per_s * 1.75, GIB).model_copy(
        update={"busbw_gb_per_s": busbw_gb_per_s, "time_low_us": None, "time_high_us": None, **more}
    )
    return Run(hellos=hellos, measurements=[measured])


def printed(capsys: pytest.CaptureFixture[str], found: Run, gpus: Path, is_explained: bool = False) -> str:
    say_judgement(job(), found, gpus / "data", is_explained, gpus)
    return capsys.readouterr().out


def test_a_good_and_a_low_bandwidth_are_one_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gpus = driver(tmp_path, [MODEL] * 8)
    good = printed(capsys, run(450.0), gpus)
    assert good.startswith("450 GB/s at 1 GiB, where published runs suggest ") and good.endswith(": as expected.\n")
    assert good.count("\n") == 1
    assert ": low by 5" in printed(capsys, run(210.0), gpus)


def test_the_explanation_is_a_table_of_references(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, run(450.0), driver(tmp_path, [MODEL] * 8), is_explained=True)
    assert "REFERENCE" in text and "published" in text and "https://" in text


def test_nothing_is_said_of_cpus_unless_it_is_to_be_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(1.0, on_gpus=False)
    assert printed(capsys, found, tmp_path) == ""
    text = printed(capsys, found, tmp_path, is_explained=True)
    assert "It is unknown what was to be expected" in text
    assert text.endswith("No reference was found for any size.\n")


def test_gpus_of_two_models_are_not_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, run(450.0), driver(tmp_path, [MODEL] * 7 + ["NVIDIA A100-SXM4-80GB"])) == ""


def test_a_row_with_wrong_elements_counts_for_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, run(450.0, wrong=3), driver(tmp_path, [MODEL] * 8)) == ""
