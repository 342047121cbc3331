"""Run by test_channels.py on every rank: what goes in channels gives what NumPy does, on ranks as if of two nodes."""

import sys
from itertools import product

import numpy as np

from ringscope.contracts.words.collectives import IN_CHANNELS, ROOTED
from ringscope.engine.base import Array
from ringscope.engine.communicator import Communicator
from ringscope.schedules.algorithms import build

COUNTS = [1, 7, 1009, 65_537]


def main() -> None:
    """Each of the two halves of the ranks counts as a node."""
    comm = Communicator(sys.argv[1])
    each = comm.size // 2
    nodes = [list(range(each)), list(range(each, comm.size))]
    checked = 0
    send, recv = (comm.buffer(4 * max(COUNTS)) for _ in range(2))
    for (collective, algorithm), count, in_place in product(checkable(), COUNTS, (False, True)):
        target = recv.head(4 * count).view("int32")
        source = target if in_place else send.head(4 * count).view("int32")
        root = count % comm.size
        schedule = build(algorithm, comm.size, count, nodes, collective, root, each)
        plan = comm.transport.plan(schedule, "sum", source, target)
        for turn in range(2):
            source.local[:] = values(comm.rank, count, turn)
            plan.run()
            wanted = np.sum([values(rank, count, turn) for rank in range(comm.size)], axis=0)
            if collective == "broadcast":
                wanted = values(root, count, turn)
            if collective != "reduce" or comm.rank == root:
                np.testing.assert_array_equal(target.local, wanted, f"{collective} {algorithm} {count} {in_place}")
        plan.free()
        checked += 1
    comm.free()
    by_itself(checked)


def by_itself(checked: int) -> None:
    """Check the channels that a program asks for; a group has no more channels than its nodes have ranks."""
    comm = Communicator(sys.argv[1], channels=2)
    found = comm.all_reduce(values(comm.rank, 1001, 0), algorithm="ring")
    np.testing.assert_array_equal(found, np.sum([values(rank, 1001, 0) for rank in range(comm.size)], axis=0))
    alone = comm.split(comm.rank)
    sys.stdout.write(f"checked {checked}, {comm.channels} channels, alone {alone.channels}\n")
    alone.free()
    comm.free()


def checkable() -> list[tuple[str, str]]:
    """Return the pairs of collective and algorithm whose result is a whole buffer."""
    return sorted(pair for pair in IN_CHANNELS if pair[0] in ("all_reduce", *ROOTED))


def values(rank: int, count: int, turn: int) -> Array:
    return (np.arange(count, dtype="int32") * 31 + rank * 1009 + turn) % 10_007


if __name__ == "__main__":
    main()
