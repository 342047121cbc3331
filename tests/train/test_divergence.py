"""A training whose numbers are not finite any more is told once, stops where it is to, and keeps its checkpoint."""

import math
from types import SimpleNamespace

import pytest
import torch
from tests.train.fakes import LonelyCommunicator

from ringscope.contracts.record import RECORD, Diverged, Steps
from ringscope.contracts.training import TrainingSpec
from ringscope.engine.errors import DivergedError
from ringscope.rank.step_log import StepLog
from ringscope.train.checkpoint import steps
from ringscope.train.divergence import Divergence, are_finite
from ringscope.train.program import assemble


@pytest.fixture
def comm(monkeypatch):
    comm = LonelyCommunicator()
    comm.nodes, comm.position, comm.barrier = [[0]], [0] * 16, lambda: None
    comm.broadcast = lambda values, root: None
    return comm


def training(comm, told, tmp_path=None, **changes):
    sizes = {"model_arguments": {"hidden": 8, "layers": 2}, "dataset": {"name": "synthetic", "samples": 64}}
    sizes |= {"global_batch_size": 8, "epochs": 3, "all_reduce": "ring", "strategy": "mirrored"}
    return assemble(comm, TrainingSpec.model_validate(sizes | changes), told.append, tmp_path)


@pytest.mark.parametrize("options", [{}, {"precision": "bfloat16"}], ids=["float32", "bfloat16"])
def test_a_job_that_diverges_stops_with_a_sentence_and_its_steps_are_told_before(comm, options):
    told = []
    with pytest.raises(DivergedError, match=r"^The training diverged: .* Lower learning_rate or set clip_norm"):
        training(comm, told, learning_rate=100.0, weight_decay=10.0, epochs=30, **options).run()
    found = [record for record in told if isinstance(record, Diverged)]
    assert len(found) == 1
    blocks = [record for record in told if isinstance(record, Steps)]
    last = blocks[-1].first_step + len(blocks[-1].start_ns) - 1
    assert found[0].step == last
    assert RECORD.validate_json(found[0].model_dump_json()).sentence == found[0].sentence


def test_a_job_that_is_to_go_on_does_and_tells_once(comm):
    told = []
    trainer = training(comm, told, learning_rate=100.0, weight_decay=10.0, epochs=30, on_nan="continue")
    trainer.run()
    assert trainer.progress.epoch == 30
    assert not are_finite(trainer.module)
    assert len([record for record in told if isinstance(record, Diverged)]) == 1


def test_the_last_finite_checkpoint_stays_however_many_would_come(comm, tmp_path):
    told = []
    trainer = training(comm, told, tmp_path, checkpoint_every_steps=1, epochs=2, on_nan="continue")
    poisoned = []

    def poison(*_):
        if trainer.progress.step >= 5:
            poisoned.append(1)
            with torch.no_grad():
                next(trainer.module.parameters()).fill_(math.nan)

    trainer._replica._optimizer.register_step_post_hook(poison)
    trainer.run()
    assert len(poisoned) > 5
    assert steps(tmp_path) == [4, 5]
    assert trainer.progress.epoch == 2


def test_parameters_that_are_not_finite_at_the_end_are_told_though_every_loss_was(comm):
    told = []
    trainer = training(comm, told, max_steps=3)

    def spoil(*_):
        if trainer.progress.step == 2:
            with torch.no_grad():
                next(trainer.module.parameters())[0, 0] = math.inf

    trainer._replica._optimizer.register_step_post_hook(spoil)
    with pytest.raises(DivergedError, match="after step 2 rank 0 has parameters that are not finite"):
        trainer.run()


def test_a_step_that_float16_leaves_out_is_no_divergence(comm):
    told = []
    trainer = training(comm, told, max_steps=2)
    step = trainer._replica.step

    def overflown(*arguments):
        result = step(*arguments)
        return SimpleNamespace(loss_sum=math.inf, sums=result.sums, is_left_out=True)

    trainer._replica.step = overflown
    trainer.run()
    assert not [record for record in told if isinstance(record, Diverged)]


def test_each_rank_tells_for_itself_and_once():
    told = []
    divergence = Divergence(3, told.append, "continue")
    for step, loss in enumerate([1.0, None, math.inf, math.nan]):
        divergence.judge_loss(step, loss)
    assert [(one.rank, one.step, one.what, one.loss) for one in told] == [(3, 2, "loss", math.inf)]
    assert told[0].sentence == "The training diverged: in step 2 the loss of rank 3 was inf."


def test_a_script_that_reports_such_a_loss_tells_it_after_its_step(comm):
    told = []
    log = StepLog(comm, told.append)
    for loss in (0.5, math.nan, math.nan):
        log.log(loss, 4, None, None, None, None, None)
    log.close()
    assert [type(one).__name__ for one in told] == ["Steps", "Diverged", "Steps"]
    assert told[1].step == 1
