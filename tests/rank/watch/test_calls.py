"""Collectives are counted and timed, and pass arguments, results and errors through."""

import time
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ringscope.rank.watch.calls import OTHERS, Calls


class Tensor:
    def __init__(self, count: int, is_cpu: bool = True) -> None:
        self.count, self.is_cpu = count, is_cpu

    def numel(self) -> int:
        return self.count

    def element_size(self) -> int:
        return 4


class Work:
    def wait(self, timeout: float = 0.0) -> bool:
        """Wait."""
        time.sleep(timeout)
        return True


def library() -> Any:
    """Return functions with the names of torch.distributed."""

    def all_reduce(tensor: Tensor, op: str = "sum", group: None = None, async_op: bool = False) -> Work | None:
        """Sum."""
        return Work() if async_op else None

    def all_gather(tensor_list: list[Tensor], tensor: Tensor) -> None:
        module.all_reduce(tensor)

    def barrier(*, group: None = None) -> None:
        raise RuntimeError("peer closed")

    module: Any = ModuleType("c10d")
    vars(module).update(all_reduce=all_reduce, all_gather=all_gather, barrier=barrier, Work=type("W", (Work,), {}))
    module.torch = SimpleNamespace(Tensor=Tensor)
    module.Work.wait = Work.wait
    return module


@pytest.fixture
def watched() -> tuple[Any, Calls, list[Exception]]:
    errors: list[Exception] = []
    calls, module = Calls(errors.append), library()
    calls.wrap(module)
    return module, calls, errors


def test_calls_are_counted_by_name_and_size(watched: tuple[Any, Calls, list[Exception]]) -> None:
    module, calls, errors = watched
    assert module.all_reduce(Tensor(4)) is None
    assert module.all_reduce(tensor=Tensor(4), op="max") is None
    assert isinstance(module.all_reduce(Tensor(2), async_op=True), Work)
    module.all_gather([Tensor(3), Tensor(5)], Tensor(3))
    counts = {kind: count for kind, (count, _) in calls.totals.items()}
    assert counts == {("all_reduce", 16): 2, ("all_reduce", 8): 1, ("all_gather", 32): 1}, "a nested call is no other"
    assert calls.bytes == 72
    assert errors == []


def test_the_time_of_a_call_that_returns_before_the_end_is_not_known(
    watched: tuple[Any, Calls, list[Exception]],
) -> None:
    module, calls, errors = watched
    module.all_reduce(Tensor(2), async_op=True)
    module.all_gather([Tensor(3, is_cpu=False)], Tensor(3, is_cpu=False))
    module.all_reduce(Tensor(64))
    calls.note("all_reduce of DDP", 4096, 2_000_000)
    record = calls.classes.record(1)
    known = {name: time_us is not None for name, time_us in zip(record.name, record.time_us, strict=True)}
    assert known == {"all_reduce of DDP": True, "all_gather": False, "all_reduce": False}
    assert record.time_us[record.least_bytes.index(256)] is not None
    assert calls.totals["all_gather", 12] == [1, 0]
    assert errors == []


def test_what_a_function_is_and_raises_stays(watched: tuple[Any, Calls, list[Exception]]) -> None:
    module, calls, _ = watched
    assert (module.all_reduce.__name__, module.all_reduce.__doc__) == ("all_reduce", "Sum.")
    with pytest.raises(RuntimeError, match=r"^peer closed$"):
        module.barrier()
    with pytest.raises(TypeError, match=r"missing 1 required positional argument"):
        module.all_reduce()
    assert calls.totals["barrier", 0][0] == 1


def test_the_wait_for_a_begun_operation_counts_as_waiting(watched: tuple[Any, Calls, list[Exception]]) -> None:
    module, calls, _ = watched
    module.all_reduce(Tensor(1), async_op=True)
    assert calls.waited_ns == 0
    assert module.Work().wait(timeout=0.01) is True
    assert calls.waited_ns > 9_000_000


def test_an_error_of_the_watching_reaches_nobody(watched: tuple[Any, Calls, list[Exception]]) -> None:
    module, calls, errors = watched
    odd = Tensor(1)
    odd.numel = lambda: 1 // 0  # type: ignore[method-assign]
    assert module.all_reduce(odd) is None
    assert [type(error) for error in errors] == [ZeroDivisionError]
    calls.is_off = True
    assert module.all_reduce(odd) is None
    assert len(errors) == 1


def test_sizes_that_never_end_share_a_row(watched: tuple[Any, Calls, list[Exception]]) -> None:
    module, calls, _ = watched
    for size in range(1000):
        module.all_reduce(Tensor(size))
    assert len(calls.totals) <= 501
    assert calls.totals["all_reduce", OTHERS][0] == 500
