"""Run by test_rank.py: the rank program, in which rank 1 never begins the sweep."""

import sys
import threading

from ringscope.bench.sweep import Sweep
from ringscope.engine.transports.mpi import world_rank
from ringscope.rank.program import main

run_sweep = Sweep.run


def be_silent_on_rank_1(sweep: Sweep) -> int:
    """Wait for ever."""
    if world_rank() == 1:
        threading.Event().wait()
    return run_sweep(sweep)


if __name__ == "__main__":
    Sweep.run = be_silent_on_rank_1  # type: ignore[method-assign]
    sys.exit(main())
