"""Run by test_traces.py on every rank: a traced operation is exact, and tells exactly what the schedule has."""

import sys
from collections import Counter
from itertools import product

import numpy as np
from mpi4py import MPI

from ringscope.bench.oracle import Case, check, fill, pieces
from ringscope.contracts.traced import RankTrace
from ringscope.contracts.words.collectives import REDUCING, SCHEDULED
from ringscope.engine.base import TraceablePlan
from ringscope.engine.communicator import Communicator
from ringscope.schedules.algorithms import build
from ringscope.schedules.schedule import Schedule

COUNTS = [1, 5, 1009, 300_001]
Moved = tuple[int, int, int, str, int, bool]


def main() -> None:
    transport = sys.argv[1]
    comm = Communicator(transport)
    traced = 0
    for collective, algorithms in SCHEDULED.items():
        send, recv = (comm.buffer(max(COUNTS) * comm.size * 4) for _ in range(2))
        for algorithm, count, in_place in product(algorithms, COUNTS, (False, True)):
            total = count * comm.size if collective == "alltoall" else count
            target = recv.head(total * 4).view("float32")
            source = target if in_place else send.head(total * 4).view("float32")
            op = "sum" if collective in REDUCING else "none"
            plan = comm.plan(algorithm, op, source, target, collective)
            assert isinstance(plan, TraceablePlan)
            for _ in range(2):  # and it can be followed, and run, again
                case = Case(np.dtype("float32"), op, comm.size, traced)
                fill(source.local, case, comm.rank)
                trace = plan.trace()
                wanted = pieces(collective, total, comm.size, comm.rank, 0)
                assert check(target.local, case, wanted) is None, (collective, algorithm, count, in_place)
                traced += 1
            fill(source.local, case, comm.rank)
            plan.run()
            assert check(target.local, case, wanted) is None
            plan.free()
            every = MPI.COMM_WORLD.gather(trace)
            if every is not None:
                schedule = build(algorithm, comm.size, total, comm.nodes, collective)
                assert_tells(transport, schedule, every, f"{collective} {algorithm} {total} {in_place}")
    comm.free()
    sys.stdout.write(f"traced {traced}\n")


def assert_tells(transport: str, schedule: Schedule, every: list[RankTrace], what: str) -> None:
    wanted = Counter((t.src, t.dst, t.step, t.phase, t.chunk, t.reduce) for t in schedule.transfers())
    sent, received = told(every, True), told(every, False)
    if transport == "mpi":
        assert sent == received == wanted, what
    else:
        assert sent + received == wanted, what
    told_bytes = sum(t.bytes for trace in every for t in trace.transfers if transport != "mpi" or t.is_send)
    assert told_bytes == sum(schedule.elements_sent()) * 4, what
    for trace in every:
        for t in trace.transfers:
            times = [x for x in (0, t.start_ns, t.send_ns, t.recv_ns, t.reduce_ns, t.done_ns) if x is not None]
            assert times == sorted(times), (what, t)
            assert t.done_ns <= trace.duration_ns, what


def told(every: list[RankTrace], sends: bool) -> Counter[Moved]:
    """The transfers that ranks told as senders, or as receivers, chunk by chunk."""
    found: Counter[Moved] = Counter()
    for rank, trace in enumerate(every):
        for t in trace.transfers:
            if t.is_send is sends:
                ends = (rank, t.peer) if sends else (t.peer, rank)
                found.update((*ends, t.step, t.phase, chunk, t.reduce) for chunk in t.chunks)
    return found


if __name__ == "__main__":
    main()
