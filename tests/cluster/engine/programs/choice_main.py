"""Run by test_choice.py on every rank: only rank 0 reads a table, and all choose alike."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

import ringscope
from ringscope.choice.chooser import candidates
from ringscope.contracts.errors import UserError
from ringscope.contracts.tuning import Curve, Table, shape_of
from ringscope.contracts.words.devices import carrier
from ringscope.contracts.words.machine import shared_cores
from ringscope.engine.communicator import Communicator

TIMES_US = {"naive": 1.0, "ring": 2.0}


def known(comm: Communicator) -> Table:
    """Return a table in which naive is fastest at 4 KiB, which no other rule would choose."""
    shape = shape_of(tuple(map(len, comm.nodes)))
    curves = [
        Curve(
            collective="all_reduce",
            arithmetic="native",
            shape=shape,
            in_place=True,
            transport=carrier(name, "shared_memory"),
            algorithm=name,
            times_us={4096: TIMES_US.get(name, 3.0)},
            is_crowded=bool(shared_cores(comm.size, comm.cores)),
        )
        for name in candidates("all_reduce", comm.transport.name)
    ]
    return Table(curves=tuple(curves))


def unreadable() -> Table:
    """A damaged file."""
    raise UserError("tuning.json is damaged.")


@contextmanager
def sharing_a_core() -> Iterator[list[set[int]]]:
    """Move all ranks to one core; yield the sets of cores to which this rank is moved."""
    cores, move = os.sched_getaffinity(0), os.sched_setaffinity
    taken: list[set[int]] = []

    def take(pid: int, seat: Iterable[int]) -> None:
        taken.append(set(seat))
        move(pid, taken[-1])

    os.sched_setaffinity(0, {min(cores)})
    os.sched_setaffinity = take
    yield taken
    os.sched_setaffinity = move
    os.sched_setaffinity(0, cores)


def main() -> None:
    loads: list[Table] = []

    def load() -> Table:
        loads.append(known(comm))
        return loads[-1]

    comm = Communicator("shared_memory", table=load)
    x = comm.empty(1024)
    choice = comm.choose("all_reduce", "float32", x.nbytes, in_place=True)
    assert choice == ("naive", "measured: naive 1 us, ring 2 us, mpi 3 us at 4 KiB (medians)."), choice
    for _ in range(3):
        x.fill(1)
        assert (comm.all_reduce(x) == comm.size).all()
    foreign = np.ones(1024, np.float32)
    assert (comm.all_reduce(foreign) == comm.size).all()
    try:  # a rank that knows no answer yet must not wait for one while another one runs on
        comm.all_reduce(np.ones(7 + comm.rank, np.float32))
    except ringscope.EngineError as error:
        assert "differs from rank 0 in length" in str(error), error
    else:
        raise AssertionError("different lengths went through")
    assert (comm.all_reduce(np.ones(7, np.float32)) == comm.size).all()
    assert comm.tune(x) == choice, "where all are measured nothing is tried"
    foreign.fill(1)
    with sharing_a_core() as taken:
        found = comm.tune(foreign, out=np.empty_like(foreign))
        assert taken, "a trial seats ranks that share cores"
        assert os.sched_getaffinity(0) == taken[-1], "and leaves them where they may be"
    assert found.because.startswith("tried here: "), found
    assert (foreign == 1).all(), "what is tried is tried elsewhere"
    assert comm.choose("all_reduce", "float32", foreign.nbytes, in_place=False) == found
    assert comm.tune(foreign, out=np.empty_like(foreign)) == found, "once"
    assert (comm.all_reduce(foreign, out=np.empty_like(foreign)) == comm.size).all()
    assert len(loads) == (comm.rank == 0), "read once, on rank 0"

    damaged = Communicator("shared_memory", table=unreadable)
    try:
        damaged.all_reduce(np.ones(7, np.float32))
    except ringscope.EngineError as error:
        assert str(error) == "tuning.json is damaged.", error
    else:
        raise AssertionError("a table that cannot be read was passed over")
    sys.stdout.write("all asserts held\n")


if __name__ == "__main__":
    main()
