"""A training job with the examples' own model and data, on real ranks."""

import shutil
from pathlib import Path

import pytest
from tests.cluster.train.jobs import run_job

from ringscope.contracts.rank_process import EXIT_FAILURE, SCRIPTS_VARIABLE
from ringscope.contracts.record import Epoch, Failure

EXAMPLES = Path(__file__).parents[3] / "examples"
FILES = {"model": {"file": "my_model.py", "build": "make"}, "dataset": {"file": "my_data.py"}, "epochs": 3}


@pytest.mark.long
@pytest.mark.parametrize(
    "strategy",
    [
        {"strategy": "mirrored", "dataset": {"file": "my_data.py", "workers": 2}},
        {"strategy": "parameter_server"},
        {"strategy": "local_sgd"},
        {"strategy": "sharded"},
        {"strategy": "torch_ddp"},
        {"strategy": "torch_fsdp"},
    ],
)
def test_every_strategy_trains_an_own_model_on_own_data(monkeypatch, strategy):
    monkeypatch.setenv(SCRIPTS_VARIABLE, str(EXAMPLES))
    run, records = run_job(2, {"kind": "training", "training": FILES | strategy})
    assert run.exit_code == 0, run.output
    assert max(record.validation_accuracy for record in records if isinstance(record, Epoch)) > 0.8


@pytest.mark.long
def test_a_function_that_is_missing_is_the_reason_of_the_failure(monkeypatch, tmp_path):
    shutil.copy(EXAMPLES / "my_data.py", tmp_path)
    (tmp_path / "my_model.py").write_text("def other(): ...\n")
    monkeypatch.setenv(SCRIPTS_VARIABLE, str(tmp_path))
    run, records = run_job(2, {"kind": "training", "training": FILES})
    assert run.exit_code == EXIT_FAILURE and "Traceback" not in run.output
    sentences = {record.message for record in records if isinstance(record, Failure)}
    assert sentences == {"training.model.build: my_model.py has no function make; define it, or name one of other."}
