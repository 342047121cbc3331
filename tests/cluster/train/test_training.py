"""A training job sends its records in order, and ends with a clear reason if something is wrong."""

import os
from statistics import median

import pytest
from tests.cluster.train.jobs import run_training

from ringscope.contracts.rank_process import EXIT_FAILURE, EXIT_VERIFICATION_FAILED, FAULT_VARIABLE
from ringscope.contracts.record import Done, Environment, Hello, Steps
from ringscope.contracts.training.record import Buckets, Epoch

STEPS_PER_EPOCH = 12  # of 409 samples, which are left of 512 to train with


def of_rank(records, rank, kind):
    return [record for record in records if isinstance(record, kind) and record.rank == rank]


@pytest.fixture(scope="module")
def whole():
    """A run of many buckets to its end."""
    return run_training(2, bucket_bytes=1024, target_accuracy=0.01)


def test_everything_is_told_in_order(whole):
    assert_everything_is_told(*whole)


@pytest.mark.long
def test_everything_is_told_in_order_by_torch_ddp():
    assert_everything_is_told(*run_training(2, strategy="torch_ddp", all_reduce="auto"))


def assert_everything_is_told(run, records):
    assert (run.exit_code, run.reason) == (0, "")
    assert [type(r) for r in records if isinstance(r, Hello | Environment | Done)].count(Hello) == 2
    for rank in range(2):
        blocks = of_rank(records, rank, Steps)
        assert [block.first_step for block in blocks] == [
            sum(len(b.start_ns) for b in blocks[:n]) for n in range(len(blocks))
        ]
        assert sum(len(block.start_ns) for block in blocks) == 2 * STEPS_PER_EPOCH
        assert all(set(block.samples) == {16} for block in blocks)
        assert all(len(block.start_ns) <= 20 for block in blocks)
        for block in blocks:
            columns = (block.duration_us, block.compute_us, block.exposed_us, block.input_us, block.communication_us)
            for duration, compute, exposed, waited, communication in zip(*columns, strict=True):
                assert duration == pytest.approx(compute + exposed + waited)
                assert 0 < communication < duration
        told = of_rank(records, rank, Buckets)
        last = [block.first_step + len(block.start_ns) - 1 for block in blocks]
        assert [record.step for record in told] == last
        assert all(sum(record.bytes) == block.bytes for record, block in zip(told, blocks, strict=True))
    assert not of_rank(records, 1, Epoch)
    epochs = of_rank(records, 0, Epoch)
    assert [(e.epoch, e.step, e.samples) for e in epochs] == [(n, n * STEPS_PER_EPOCH, n and 384) for n in (1, 2)]
    assert epochs[1].training_loss < epochs[0].training_loss
    assert epochs[1].validation_accuracy > 0.1


@pytest.fixture(scope="module")
def short():
    """A run of many buckets that ends inside its second epoch."""
    return run_training(2, bucket_bytes=1024, max_steps=STEPS_PER_EPOCH + 3, target_accuracy=0.01)


@pytest.mark.long
def test_buckets_tell_how_their_sums_went(short):
    for told in of_rank(short[1], 0, Buckets):
        assert told.bytes == [680, 98304]  # the last layers together, then the first one's weights
        for ready, start, end in zip(told.ready_us, told.start_us, told.end_us, strict=True):
            assert ready <= start <= end
        assert told.ready_us[0] <= told.ready_us[1]
        assert told.end_us[0] <= told.start_us[1]


def test_the_log_says_what_a_step_sums(whole):
    (line,) = [line for line in whole[0].output.splitlines() if line.startswith("batch_all_reduce")]
    assert "2 all-reduces with algorithm = direct" in line
    assert "num_replicas = 2" in line
    assert "reached the accuracy of 0.01 after epoch 1" in whole[0].output


@pytest.mark.long
def test_it_ends_after_the_steps_that_are_wanted_even_inside_an_epoch(short):
    run, records = short
    assert run.exit_code == 0
    assert sum(len(block.start_ns) for block in of_rank(records, 1, Steps)) == STEPS_PER_EPOCH + 3
    assert [epoch.step for epoch in of_rank(records, 0, Epoch)] == [STEPS_PER_EPOCH, STEPS_PER_EPOCH + 3]


@pytest.mark.long
def test_a_replica_that_differs_by_one_bit_fails_the_job(monkeypatch):
    monkeypatch.setenv(FAULT_VARIABLE, "wrong_element")
    run, _ = run_training(3)
    assert run.exit_code == EXIT_VERIFICATION_FAILED
    (failure,) = run.failures
    assert failure.reason == "verification_failed"
    assert failure.message.startswith(
        "After epoch 1 the model has, after the same steps, other parameters on rank 0 than on rank 1; check the memory"
    )


@pytest.mark.long
def test_a_rank_of_half_the_speed_gets_fewer_samples(monkeypatch):
    monkeypatch.setenv(FAULT_VARIABLE, "slow")
    run, records = run_training(
        2, epochs=5, batch_split="speed", global_batch_size=128, model="cnn", model_arguments={"channels": 8}
    )
    assert run.exit_code == 0
    last = [of_rank(records, rank, Steps)[-1].samples[-1] for rank in range(2)]
    assert last[0] > last[1] >= 1
    assert sum(last) == 128


@pytest.mark.long
def test_a_rank_with_a_slow_loader_waits_for_its_samples_as_long_as_it_computes(monkeypatch):
    monkeypatch.setenv(FAULT_VARIABLE, "slow_input")
    run, records = run_training(2, model="cnn", model_arguments={"channels": 8})
    assert run.exit_code == 0
    for rank, is_slow in ((0, False), (1, True)):
        blocks = of_rank(records, rank, Steps)
        waited_us = median(time_us for block in blocks for time_us in block.input_us)
        computed_us = median(time_us for block in blocks for time_us in block.compute_us)
        assert (waited_us > 0.4 * computed_us) == is_slow


@pytest.mark.long
def test_half_precision_is_refused_in_a_sentence_where_there_is_no_gpu():
    run, _ = run_training(2, precision="float16")
    assert run.exit_code == EXIT_FAILURE
    assert "precision: float16 is for GPUs" in run.reason


def test_without_pytorch_one_sentence_says_so(tmp_path, monkeypatch):
    (tmp_path / "torch.py").write_text("raise ImportError('not here')\n")  # found first, so it hides a real one
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")])))
    run, _ = run_training(1)
    assert run.exit_code == EXIT_FAILURE
    assert run.reason.startswith("Rank ")
    assert "training needs PyTorch, which cannot be imported (not here); pip install 'ringscope[train]'" in run.reason
    assert "Traceback" not in run.output
