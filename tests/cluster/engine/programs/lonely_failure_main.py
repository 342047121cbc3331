"""Run by test_rank.py: the rank program, in which only rank 1 meets an error and the others wait for it."""

import sys

from ringscope.bench.sweep import Sweep
from ringscope.engine.transports.mpi import world_rank
from ringscope.rank.program import main

run_sweep = Sweep.run


def fail_on_rank_1(sweep: Sweep) -> int:
    """A bug of one rank."""
    if world_rank() == 1:
        raise RuntimeError("a bug of one rank")
    return run_sweep(sweep)


if __name__ == "__main__":
    Sweep.run = fail_on_rank_1  # type: ignore[method-assign]
    sys.exit(main())
