"""Jobs with parameter servers send their records, keep their checkpoints and resume through the rank program."""

from pathlib import Path

import pytest
from tests.cluster.train.jobs import SMALL, run_training

from ringscope.contracts.rank_process import (
    CHECKPOINTS_VARIABLE,
    EXIT_VERIFICATION_FAILED,
    FAULT_VARIABLE,
    RESUME_VARIABLE,
)
from ringscope.contracts.record import Hello, Record, Steps
from ringscope.contracts.training.record import Epoch
from ringscope.train import checkpoint

pytestmark = pytest.mark.long

SERVED = SMALL | {"strategy": "parameter_server", "all_reduce": "auto"}
STEPS_PER_EPOCH = 12


def of(records: list[Record], rank: int) -> list[Steps]:
    return [record for record in records if isinstance(record, Steps) and record.rank == rank]


def losses(records: list[Record]) -> list[float]:
    return [record.validation_loss or 0.0 for record in records if isinstance(record, Epoch)]


@pytest.mark.parametrize(
    "consistency", [{"consistency": "async"}, {"consistency": "ssp", "staleness": 1, "servers": 2}]
)
def test_workers_tell_their_steps_and_clocks(consistency: dict[str, object]) -> None:
    run, records = run_training(4, **SERVED, **consistency)
    assert run.exit_code == 0
    servers = consistency.get("servers", 1)
    assert {record.rank for record in records if isinstance(record, Hello)} == {0, 1, 2, 3}
    for rank in range(4 - int(str(servers))):
        told = of(records, rank)
        lags = [lag for record in told for lag in record.lag or ()]
        assert sum(len(record.start_ns) for record in told) == len(lags) == 2 * STEPS_PER_EPOCH
        assert {record.algorithm for record in told} == {"parameter_server"}
        if consistency.get("consistency") != "async":
            assert max(lags) <= int(str(consistency.get("staleness", 0)))
    assert not of(records, 3)
    epochs = [record for record in records if isinstance(record, Epoch)]
    assert [(epoch.epoch, epoch.step, epoch.samples) for epoch in epochs] == [(1, 12, 384), (2, 24, 384)]
    assert f"num_servers = {servers}, consistency = {consistency.get('consistency', 'sync')}" in run.output


def test_sync_ends_where_mirrored_training_ends() -> None:
    _, mirrored = run_training(2)
    _, served = run_training(3, **SERVED)
    assert losses(served) == pytest.approx(losses(mirrored), rel=1e-5)


def test_a_job_goes_on_from_the_others_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One epoch on servers and one mirrored, in either order, give the same as two epochs in one run."""
    options = {"optimizer": "adam", "learning_rate": 0.001}
    _, whole = run_training(2, **options)
    for name, first, second in (("served", SERVED, SMALL), ("mirrored", SMALL, SERVED)):
        folder = tmp_path / name
        monkeypatch.setenv(CHECKPOINTS_VARIABLE, str(folder))
        monkeypatch.delenv(RESUME_VARIABLE, raising=False)
        run_training(3, **first | options | {"epochs": 1})
        assert checkpoint.steps(folder) == [STEPS_PER_EPOCH]
        monkeypatch.setenv(CHECKPOINTS_VARIABLE, str(tmp_path / f"{name} on"))
        monkeypatch.setenv(RESUME_VARIABLE, str(folder))
        _, resumed = run_training(3, **second | options | {"resume_from": 1})
        assert losses(resumed) == pytest.approx(losses(whole)[1:], rel=1e-4)


def test_workers_that_differ_end_the_servers_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FAULT_VARIABLE, "wrong_element")
    run, _ = run_training(3, **SERVED)
    assert run.exit_code == EXIT_VERIFICATION_FAILED
    assert [failure.reason for failure in run.failures] == ["verification_failed"]
