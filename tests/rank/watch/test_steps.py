"""The steps of a script that reports none, as they are seen from outside."""

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from ringscope.contracts.record import Log, Record, Steps
from ringscope.engine.communicator import Communicator
from ringscope.engine.positions import ITERATIONS, WAITED_NS
from ringscope.rank.step_log import StepLog
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
        script.watch._calls.bytes = size
        script.watch._calls.waited_ns = 1000
        script.step(optimizer)
    blocks = script.end()
    assert [(block.bytes, len(block.start_ns)) for block in blocks] == [(64, 2), (32, 1), (64, 1)]
    assert script.comm.position[WAITED_NS] == 4000


def test_an_error_of_the_watching_is_told_once_and_ends_it(script: Script) -> None:
    script.watch._samples.taken = lambda: 1 // 0  # type: ignore[method-assign, assignment, return-value]
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
