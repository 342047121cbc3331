"""Run by test_resume.py: the rank program, in which rank 1 is killed in its 28th step."""

import os
import signal
import sys

from ringscope.engine.transports.mpi import world_rank
from ringscope.rank.program import main
from ringscope.train.trainer import Trainer

make_step = Trainer._step


def step_until_killed(trainer: Trainer) -> None:
    """Real ranks are killed anywhere; here between two checkpoints."""
    if world_rank() == 1 and trainer._progress.step == 27:
        os.kill(os.getpid(), signal.SIGKILL)
    make_step(trainer)


if __name__ == "__main__":
    Trainer._step = step_until_killed  # type: ignore[method-assign]
    sys.exit(main())
