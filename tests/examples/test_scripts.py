"""Scripts for other launchers learn unchanged as a job of kind script, on the CPU with gloo or MPI."""

import re
from pathlib import Path

import pytest
from tests.cluster.train.jobs import run_job

from ringscope.contracts.rank_process import SCRIPTS_VARIABLE

EXAMPLES = Path(__file__).parents[2] / "examples"
# Each with the library that it needs beside ours.
SCRIPTS = {
    "torchrun_ddp.py": "torch",
    "torchrun_fsdp.py": "torch",
    "mpi4py_training.py": "mpi4py",
    "accelerate_training.py": "accelerate",
    "lightning_training.py": "lightning",
    "horovod_style.py": "torch",
}


@pytest.mark.long
@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_for_another_launcher_learns_unchanged(name: str, ranks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(SCRIPTS[name])
    monkeypatch.setenv(SCRIPTS_VARIABLE, str(EXAMPLES))
    run, _ = run_job(ranks, {"kind": "script", "script": {"file": name}})
    assert run.exit_code == 0, run.output
    found = re.search(r"^([0-9]+) ranks, loss ([0-9.]+)$", run.output, re.MULTILINE)
    assert found is not None, run.output
    assert int(found[1]) == ranks
    assert float(found[2]) < 0.05, "the loss of guessing is about 140"
