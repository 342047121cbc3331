"""A script's collective over all ranks is seen by the line that its main thread runs, and nothing else is."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from ringscope.engine.positions import COLLECTIVE, COLLECTIVES
from ringscope.rank import collective_watch
from ringscope.rank.collective_watch import CollectiveWatch, collective_of

SEEN = {
    "comm.Allreduce(x)": "Allreduce",
    "world.Barrier()": "Barrier",
    "MPI.COMM_WORLD.allgather(\n        [1, 2],\n    )": "allgather",
    "holder.comm.alltoall('ä')": "alltoall",
    "print(comm.allreduce(1)) if True else None": "allreduce",
    "comm.Bcast(x)": "",  # its root leaves before the others enter
    "part.Allreduce(x)": "",  # of some ranks only
    "lookalike.Barrier()": "",
    "trap.comm.Barrier()": "",
    "(comm or None).Barrier()": "",
    "wait()": "",
}


class Comm:
    """A communicator whose calls last until the test lets them end."""

    def __init__(self, wait: Callable[[], None]) -> None:
        self._wait = wait

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *arguments: self._wait()


class Trap:
    def __init__(self) -> None:
        self.was_asked = False

    @property
    def comm(self) -> Comm:
        self.was_asked = True
        return Comm(lambda: None)


@pytest.mark.parametrize("call", SEEN)
def test_the_collective_of_a_line_is_seen(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frames: list[str] = []

    def wait() -> None:
        frame = sys._current_frames()[threading.get_ident()]
        while frame is not None and frame.f_code.co_filename != str(script):
            frame = frame.f_back
        frames.append(collective_of(frame))

    world = Comm(wait)
    mpi = SimpleNamespace(Comm=Comm, COMM_WORLD=world)
    module = type(sys)("MPI")
    vars(module).update(COMM_WORLD=world)
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", mpi)
    script, trap = tmp_path / "job.py", Trap()
    script.write_text(f"def run(comm):\n    {call}\nrun(world)\n")
    names = {"world": world, "MPI": module, "x": 1, "wait": wait, "part": Comm(wait), "trap": trap}
    names |= {"holder": SimpleNamespace(comm=world), "lookalike": SimpleNamespace(Barrier=wait)}
    exec(compile(script.read_text(), str(script), "exec"), names)
    assert frames == ([SEEN[call]] if call != "trap.comm.Barrier()" else [])
    assert trap.was_asked == (call == "trap.comm.Barrier()"), "only the script itself asks for a property"


def test_nothing_is_seen_without_mpi4py_without_a_frame_and_without_source(monkeypatch: pytest.MonkeyPatch) -> None:
    assert collective_of(None) == ""
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", SimpleNamespace(Comm=Comm, COMM_WORLD=Comm(lambda: None)))
    found: list[str] = []
    world = Comm(lambda: found.append(collective_of(sys._getframe(2))))
    exec("comm.Barrier()", {"comm": world})
    assert found == [""]


def test_the_watch_writes_to_the_position_and_clears_it_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collective_watch, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(collective_watch, "collective_of", lambda frame: "Barrier")
    position = [0] * 16
    with CollectiveWatch(position):
        while not position[COLLECTIVE]:
            pass
        assert COLLECTIVES[position[COLLECTIVE] - 1] == "Barrier"
    assert position[COLLECTIVE] == 0
