"""Steps go out in blocks."""

import math

import pytest

from ringscope.contracts.record import Steps
from ringscope.contracts.training.record import Buckets, PipelineStep
from ringscope.train import step_reporter
from ringscope.train.step_reporter import Step, StepReporter


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(step_reporter.time, "monotonic", lambda: now[0])
    return now


def step(number=0, **columns):
    buckets = Buckets(rank=1, step=number, backward_us=1, bytes=[4], ready_us=[1], start_us=[1], end_us=[2])
    return Step(number, 10.0, 3.0, 2.0, 64, **{"loss": 0.5, "samples": 8, "buckets": buckets} | columns)


def test_a_block_goes_out_after_twenty_steps_with_the_last_ones_buckets(clock):
    told = []
    reporter = StepReporter(1, 4, told.append, "ring", "mpi", first_step=100)
    for number in range(45):
        reporter.add(step(number))
    blocks = [record for record in told if isinstance(record, Steps)]
    assert [(block.first_step, len(block.start_ns)) for block in blocks] == [(100, 20), (120, 20)]
    assert [record.step for record in told if isinstance(record, Buckets)] == [19, 39]
    reporter.send()
    assert [len(record.start_ns) for record in told if isinstance(record, Steps)] == [20, 20, 5]
    assert (blocks[0].bus_factor, blocks[0].bytes, blocks[0].compute_us[0]) == (1.5, 64, 8.0)


def test_of_a_block_the_newest_step_of_a_pipeline_goes_out(clock):
    told = []
    columns = {"kind": [], "part": [], "micro_batch": [], "start_us": [], "end_us": [], "start_ns": 0}
    inside = [PipelineStep(rank=0, step=n, stage=0, replica=0, peak_activations=1, **columns) for n in range(2)]
    reporter = StepReporter(0, 1, told.append, "ring", "mpi")
    for pipeline in (*inside, None):
        reporter.add(step(buckets=None, pipeline=pipeline))
    reporter.send()
    assert [record.step for record in told if isinstance(record, PipelineStep)] == [1]


def test_long_steps_go_out_after_half_a_second(clock):
    told = []
    reporter = StepReporter(0, 2, told.append, "ring", "mpi")
    reporter.add(step())
    assert not told
    clock[0] += 0.6
    reporter.add(step())
    assert len(told[0].start_ns) == 2


def test_a_loss_that_is_no_number_is_told_too(clock):
    told = []
    reporter = StepReporter(0, 2, told.append, "ring", "mpi")
    reporter.add(step(loss=math.nan, compute_us=1.0))
    reporter.send()
    assert math.isnan(told[0].loss[0])
    assert told[0].compute_us == [1.0]


def test_waiting_for_samples_is_no_computing_and_memory_is_told_with_each_block(clock):
    told = []
    reporter = StepReporter(0, 2, told.append, "ring", "mpi")
    reporter.add(step(input_us=3.0))
    reporter.send()
    assert (told[0].input_us, told[0].compute_us) == ([3.0], [5.0])
    assert told[0].memory_bytes > 10 << 20
    reporter.add(step(input_us=3.0))
    reporter.add(step())
    reporter.send()
    assert [record.input_us for record in told if isinstance(record, Steps)] == [[3.0], None]


def test_memory_is_read_twice_a_second_at_most(clock, monkeypatch):
    told, reads = [], iter(range(100))
    monkeypatch.setattr(step_reporter, "resident_bytes", lambda: next(reads))
    reporter = StepReporter(0, 2, told.append, "ring", "mpi")
    for _ in range(6):
        clock[0] += 0.2
        reporter.add(step(buckets=None))
        reporter.send()
    assert [record.memory_bytes for record in told] == [0, 0, 0, 1, 1, 1]


def test_nothing_is_told_where_there_is_nothing():
    StepReporter(0, 2, lambda record: pytest.fail("told"), "ring", "mpi").send()
