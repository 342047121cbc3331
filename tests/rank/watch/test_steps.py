"""The steps of a script that reports none, as they are seen from outside."""

import sys
import time
from collections.abc import Callable
from itertools import pairwise
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from ringscope.contracts.record import Log, Record, Steps
from ringscope.contracts.training.record import Collectives
from ringscope.engine.communicator import Communicator
from ringscope.engine.positions import ITERATIONS, WAITED_NS
from ringscope.rank.step_log import StepLog
from ringscope.rank.watch.ddp import Sums
from ringscope.rank.watch.steps import Watch

Hook = Callable[[Any, tuple[Any, ...], dict[str, Any]], None]


class Optimizer:
    pass


class Script:
    """A script's modules, and what the watch of its rank reports."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.records: list[Record] = []
        self.hooks: list[Hook] = []
        self.task = -1
        torch = SimpleNamespace(
            Tensor=Tensor,
            is_grad_enabled=lambda: self.computes_gradients,
            _C=SimpleNamespace(_current_graph_task_id=lambda: self.task),
        )
        self.computes_gradients = True
        optimizers, loaders = ModuleType("torch.optim.optimizer"), ModuleType("torch.utils.data.dataloader")
        vars(optimizers).update(torch=torch, register_optimizer_step_post_hook=self.hooks.append)
        vars(loaders).update(torch=torch, _BaseDataLoaderIter=type("Iter", (Batches,), {"__next__": Batches.__next__}))
        monkeypatch.setitem(sys.modules, optimizers.__name__, optimizers)
        monkeypatch.setitem(sys.modules, loaders.__name__, loaders)
        monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
        self.comm = SimpleNamespace(rank=0, size=2, position=[0] * 32)
        self.steps = StepLog(cast(Communicator, self.comm), self.records.append)
        self.watch = Watch(cast(Communicator, self.comm), self.steps, self.records.append)
        self.watch.start()
        self.batches = loaders._BaseDataLoaderIter()  # type: ignore[attr-defined]

    def step(self, optimizer: Optimizer) -> None:
        for hook in self.hooks:
            hook(optimizer, (), {})

    def end(self) -> list[Steps]:
        self.watch.close()
        self.steps.close()
        return [record for record in self.records if isinstance(record, Steps)]

    @property
    def lines(self) -> list[str]:
        return [record.text for record in self.records if isinstance(record, Log)]


class Tensor:
    shape = (8, 3)

    def dim(self) -> int:
        return 2

    def size(self, dimension: int) -> int:
        return self.shape[dimension]


class Batches:
    def __next__(self) -> Any:
        return {"x": [Tensor()], "name": "a"}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    return Script(monkeypatch)


def count(blocks: list[Steps]) -> int:
    return sum(len(block.start_ns) for block in blocks)


def test_each_step_of_the_optimizer_is_a_step_with_its_samples(script: Script) -> None:
    optimizer = Optimizer()
    for _ in range(3):
        batch = next(script.batches)
        assert list(batch) == ["x", "name"]
        script.step(optimizer)
    script.computes_gradients = False
    next(script.batches)  # validation
    blocks = script.end()
    assert count(blocks) == 3
    assert blocks[0].samples == [8, 8, 8]
    assert (blocks[0].algorithm, blocks[0].input_us is not None) == ("none", True)
    assert script.comm.position[ITERATIONS] == 3
    (line,) = script.lines
    assert line.startswith("3 steps of rank 0: median ")
    assert " samples/s on each rank; 0% of the time waiting for other ranks" in line


def test_without_a_loader_the_first_step_has_no_begin(script: Script) -> None:
    optimizer = Optimizer()
    for _ in range(4):
        script.step(optimizer)
    (block,) = script.end()
    assert (len(block.start_ns), block.samples, block.input_us) == (3, None, None)


def test_of_two_optimizers_the_first_one_counts_until_it_no_longer_steps(script: Script) -> None:
    first, second = Optimizer(), Optimizer()
    next(script.batches)
    for _ in range(3):
        script.step(first)
        script.step(second)
    script.step(second)
    script.step(second)
    assert count(script.end()) == 5


def test_a_script_that_reports_its_steps_is_not_reported_twice(script: Script) -> None:
    optimizer = Optimizer()
    for _ in range(3):
        next(script.batches)
        script.step(optimizer)
        script.steps.log(1.0, 8, None, None, None, None, None, None)
    blocks = script.end()
    assert count(blocks) == 3
    assert blocks[0].loss == [1.0, 1.0, 1.0]
    assert script.lines == []


def test_steps_that_move_different_sizes_are_in_different_blocks(script: Script) -> None:
    optimizer = Optimizer()
    for size in (64, 64, 32, 64):
        next(script.batches)
        script.watch._calls.bytes += size
        script.watch._calls.waited_ns += 1000
        script.step(optimizer)
    blocks = script.end()
    assert [(block.bytes, len(block.start_ns)) for block in blocks] == [(64, 2), (32, 1), (64, 1)]
    assert script.comm.position[WAITED_NS] == 4000


def test_what_was_seen_before_the_scripts_first_report_comes_before_it(script: Script) -> None:
    optimizer = Optimizer()
    for _ in range(4):
        next(script.batches)
        script.step(optimizer)
    script.steps.log(1.0, 8, None, None, None, None, None, None)
    next(script.batches)
    script.step(optimizer)
    blocks = script.end()
    assert [(block.first_step, len(block.start_ns), block.loss) for block in blocks] == [(0, 3, None), (3, 1, [1.0])]


def test_the_steps_between_two_readings_get_the_times_of_the_last_one(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns, optimizer, readings = [1_000_000_000], Optimizer(), []
    monkeypatch.setattr(time, "perf_counter_ns", lambda: now_ns[0])

    def read() -> Sums:
        readings.append(now_ns[0])
        return Sums(2_000_000, 1_000_000, (64,))

    script.watch._ddp.read = read  # type: ignore[method-assign]
    script.watch._samples.begun_ns = now_ns[0]
    for number in range(60):
        now_ns[0] += 10_000_000 if number < 40 else 100_000_000
        script.step(optimizer)
    blocks = script.end()
    assert count(blocks) == 60
    exposed = [us for block in blocks for us in block.exposed_us]
    assert exposed == [1000.0] * 59 + [0.0], "the times of the last step's sums are not known"
    assert {block.bytes for block in blocks[:-1]} == {64}
    gaps = [after - before for before, after in pairwise(readings)]
    assert gaps[:9] == [10_000_000] * 9, "a script of few steps has the times of each"
    assert gaps[9:12] == [80_000_000] * 3, "later steps of 10 ms are read once in eight"
    assert gaps[-5:] == [100_000_000] * 5, "long steps are all read"
    assert script.comm.position[WAITED_NS] == 60 * 1_000_000


def test_what_is_unknown_on_a_gpu_is_not_taken_from_another_step(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    optimizer = Optimizer()
    monkeypatch.setattr("ringscope.rank.watch.steps._MOST_BETWEEN", 2)
    monkeypatch.setattr("ringscope.rank.watch.steps._FIRST_READINGS", 1)
    script.watch._ddp._has_gpu = True
    script.watch._ddp.read = lambda: Sums(2_000, 1_000, ())  # type: ignore[method-assign]
    for _ in range(6):
        next(script.batches)
        script.step(optimizer)
    known = [us for block in script.end() for us in block.communication_us]
    assert known == [0.0, 2.0, 0.0, 2.0, 0.0, 0.0], "one of two is read"


def collectives(script: Script) -> list[Collectives]:
    return [record for record in script.records if isinstance(record, Collectives)]


def test_the_collectives_are_reported_soon_then_every_ten_seconds_and_at_the_end(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns, optimizer = [1_000_000_000], Optimizer()
    monkeypatch.setattr(time, "perf_counter_ns", lambda: now_ns[0])
    for _ in range(41):
        now_ns[0] += 600_000_000
        script.watch._calls.note("all_gather", 64, 1_000)
        script.step(optimizer)
    script.end()
    assert [record.calls for record in collectives(script)] == [[2], [19], [36], [41]]


def test_each_bucket_has_its_part_of_the_time_of_the_steps_sums_if_that_was_read(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns, optimizer = [1_000_000_000], Optimizer()
    monkeypatch.setattr(time, "perf_counter_ns", lambda: now_ns[0])
    times_ns = iter([*[3_000_000] * 10, *[30_000_000] * 100])
    script.watch._ddp.read = lambda: Sums(next(times_ns), 0, (2 << 20, 1 << 20))  # type: ignore[method-assign]
    script.watch._samples.begun_ns = now_ns[0]
    for number in range(26):
        now_ns[0] += 10_000_000
        if number == 20:  # a script that reports its own steps from here on
            script.steps.log(1.0, 8, None, None, None, None, None, None)
        script.step(optimizer)
    script.end()
    record = collectives(script)[-1]
    assert (record.name, record.least_bytes) == (["all_reduce of DDP"] * 2, [2 << 20, 1 << 20])
    assert record.calls == [25, 25], "of the last step's sums nothing is known"
    found = [pytest.approx(time_us, rel=0.01) for time_us in (2000, 1000)]
    assert record.time_us == found, "the ten first steps are read, of later ones few"


def test_a_script_without_collectives_has_no_table_of_them(script: Script) -> None:
    for _ in range(3):
        next(script.batches)
        script.step(Optimizer())
    script.end()
    assert collectives(script) == []


def test_an_error_of_the_watching_is_told_once_and_ends_it(script: Script) -> None:
    script.watch._ddp.read = lambda: 1 // 0  # type: ignore[method-assign, assignment, return-value]
    for _ in range(3):
        next(script.batches)
        script.step(Optimizer())
    assert script.end() == []
    assert script.lines == [
        "Rank 0 is no longer watched, because the watching failed: ZeroDivisionError: integer division or modulo by "
        "zero"
    ]


def test_inside_of_a_backward_the_reducer_is_left_alone(script: Script) -> None:
    script.watch._ddp.read = lambda: 1 // 0  # type: ignore[method-assign, assignment, return-value]
    script.task = 7
    optimizer = Optimizer()
    for _ in range(2):
        next(script.batches)
        script.step(optimizer)
    assert count(script.end()) == 2
