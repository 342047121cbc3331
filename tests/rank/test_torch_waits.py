"""The collective of torch.distributed in which a script's main thread is blocked is seen by its frames."""

import sys
import threading
from pathlib import Path
from types import FrameType, ModuleType, SimpleNamespace
from typing import Any

import pytest

from ringscope.rank import torch_waits
from ringscope.rank.torch_waits import TorchWaits, collective_of

LIBRARY = """
import sys
class GroupMember:
    WORLD = object()
def is_initialized(): return True
def get_world_size(): return 2
def barrier(group=GroupMember.WORLD): return inner()
def all_reduce(tensor, group=None): return inner()
def broadcast(tensor, group=None): return inner()
def all_gather(tensors, group=None): return all_reduce(tensors, group)
def inner(): return sys._getframe()
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    path = tmp_path / "distributed_c10d.py"
    path.write_text(LIBRARY)
    found = ModuleType("torch.distributed.distributed_c10d")
    found.__file__ = str(path)
    exec(compile(LIBRARY, str(path), "exec"), vars(found))
    monkeypatch.setitem(sys.modules, found.__name__, found)
    return found


def test_collectives_of_all_ranks_are_named(module: Any) -> None:
    assert collective_of(module.barrier(), module) == "dist.barrier"
    assert collective_of(module.all_reduce(1), module) == "dist.all_reduce"
    assert collective_of(module.all_gather([1]), module) == "dist.all_gather"
    assert collective_of(module.broadcast(1), module) == "", "its root may leave before the others enter"
    assert collective_of(module.all_reduce(1, group=object()), module) == "", "a group of some ranks"
    assert collective_of(None, module) == ""


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 5.0
        monkeypatch.setattr(torch_waits.time, "clock_gettime", lambda clock: self.seconds)


def test_a_thread_that_works_is_not_blocked(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, waits = Clock(monkeypatch), TorchWaits(2, lambda: True)
    assert waits.look(module.barrier()) == "", "it has worked until now"
    assert waits.look(module.barrier()) == "dist.barrier"
    clock.seconds += 0.002
    assert waits.look(module.barrier()) == ""


def test_a_blocked_backward_is_that_of_a_distributed_model(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    frame = SimpleNamespace(f_code=SimpleNamespace(co_name="_engine_run_backward", co_filename=""), f_back=None)
    for has_ddp, name in ((True, "dist.backward"), (False, "")):
        waits = TorchWaits(2, lambda has_ddp=has_ddp: has_ddp)  # type: ignore[misc]
        waits.look(None)
        assert waits.look(frame) == name  # type: ignore[arg-type]


def test_a_group_of_fewer_ranks_than_the_job_and_a_library_that_loads_are_left_alone(
    module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    Clock(monkeypatch)
    waits = TorchWaits(3, lambda: True)
    waits.look(None)
    assert waits.look(module.barrier()) == ""
    frame = module.barrier()
    del module.is_initialized
    assert waits.look(frame) == ""


def test_the_real_clock_tells_a_blocked_main_thread() -> None:
    found: list[bool] = []

    def look(main: FrameType | None) -> None:
        waits = TorchWaits(1, lambda: True)
        waits.look(None)
        before = waits._used_seconds
        threading.Event().wait(0.05)
        waits.look(None)
        found.append(waits._used_seconds - before < torch_waits._MOST_CPU_SECONDS)

    thread = threading.Thread(target=look, args=(None,))
    thread.start()
    thread.join()
    assert found == [True]
