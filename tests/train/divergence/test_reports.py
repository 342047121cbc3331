"""A training whose numbers are not finite is reported once, stops or skips the step, and keeps its checkpoint."""

import itertools
import math
from dataclasses import replace

import pytest
import torch
from tests.train.fakes import LonelyCommunicator

from ringscope.contracts.record import RECORD, Steps
from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.training.record import Diverged, Epoch
from ringscope.engine.errors import DivergedError
from ringscope.rank.step_log import StepLog
from ringscope.train.checkpoint import steps
from ringscope.train.divergence.reports import MOST_SKIPPED, Divergence
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


def spoilt_inputs(trainer, *steps):
    """Let the samples of these steps have a number that is not finite."""
    batches, seen = trainer._batches, []

    def spoil(samples, parts):
        if not seen or seen[-1] is not samples:  # a step that went wrong is computed again
            seen.append(samples)
        for inputs, targets in batches(samples, parts):
            is_first = torch.arange(inputs.shape[-1]) == 0
            yield inputs.masked_fill(is_first, math.nan) if len(seen) - 1 in steps else inputs, targets

    trainer._batches = spoil


@pytest.mark.parametrize(
    "options",
    [{}, {"accumulation_steps": 2}, {"precision": "bfloat16"}, {"optimizer": "adam"}, {"strategy": "local_sgd"}],
    ids=lambda options: " ".join(map(str, options.values())) or "mirrored",
)
def test_a_step_whose_gradient_is_not_finite_is_skipped_and_changes_nothing(comm, options, capsys):
    told, before = [], []
    trainer = training(comm, told, on_nan="skip", epochs=1, **options)
    spoilt_inputs(trainer, 1, 3)
    step = trainer._replica.step

    def noted(*arguments):
        before.append([parameter.detach().clone() for parameter in trainer.module.parameters()])
        return step(*arguments)

    trainer._replica.step = noted
    trainer.run()
    same = [all(map(torch.equal, one, other)) for one, other in itertools.pairwise(before)]
    assert [number for number, is_same in enumerate(same) if is_same] == [1, 3]
    (first,) = [record for record in told if isinstance(record, Diverged)]
    assert first.sentence == "Step 1 was skipped: rank 0 read samples that are not finite."
    assert capsys.readouterr().out.count("was skipped: rank 0 read samples") == 2, "the log has each step"
    epoch = next(record for record in told if isinstance(record, Epoch))
    assert math.isfinite(epoch.training_loss), "the mean of the steps that were made"


def test_a_job_that_skips_all_its_steps_stops(comm):
    told = []
    trainer = training(comm, told, learning_rate=100.0, weight_decay=10.0, epochs=300, on_nan="skip")
    with pytest.raises(DivergedError, match=f"The training diverged: {MOST_SKIPPED} steps in a row were skipped"):
        trainer.run()
    assert len([record for record in told if isinstance(record, Diverged)]) == 1


def test_good_steps_between_skipped_ones_are_no_row(comm):
    trainer = training(comm, [], on_nan="skip", epochs=10)
    spoilt_inputs(trainer, *range(0, 200, 2))
    trainer.run()
    assert trainer.progress.epoch == 10


def test_the_last_finite_checkpoint_stays_however_many_would_come(comm, tmp_path):
    told = []
    trainer = training(comm, told, tmp_path, checkpoint_every_steps=1, epochs=2, on_nan="skip")
    poisoned = []

    def poison(*_):
        if trainer.progress.step >= 5:
            poisoned.append(1)
            with torch.no_grad():
                next(trainer.module.parameters()).fill_(math.nan)

    trainer._replica._optimizer.register_step_post_hook(poison)
    trainer.run()
    assert len(poisoned) == 1, "no step after it was made"
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
        return replace(result, loss_sum=math.inf, is_left_out=True, first_culprit=None)

    trainer._replica.step = overflown
    trainer.run()
    assert not [record for record in told if isinstance(record, Diverged)]


def test_each_rank_tells_for_itself_and_once():
    told = []
    divergence = Divergence(3, told.append, "skip")
    for step, loss in enumerate([1.0, None, math.inf, math.nan]):
        divergence.judge_loss(step, loss)
    assert [(one.rank, one.step, one.what, one.loss) for one in told] == [(3, 2, "loss", math.inf)]
    assert told[0].sentence == "The training diverged: in step 2 the loss of rank 3 was inf."


def test_a_script_that_reports_such_a_loss_tells_it_after_its_step(comm):
    told = []
    log = StepLog(comm, told.append)
    for loss in (0.5, math.nan, math.nan):
        log.log(loss, 4, None, None, None, None, None, None)
    log.close()
    assert [type(one).__name__ for one in told] == ["Steps", "Diverged", "Steps"]
    assert told[1].step == 1
