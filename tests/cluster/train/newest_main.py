"""Run by test_resume.py: every rank as the first one of a node of its own, with a folder of its own."""

import json
import sys
import traceback
from pathlib import Path

import numpy as np

from ringscope.engine.communicator import Communicator
from ringscope.engine.transports.mpi import abort
from ringscope.train.checkpoint import Checkpoint, save
from ringscope.train.resume import newest_checkpoint


def main() -> None:
    """Find the newest again and again, as more are written."""
    comm = Communicator()
    comm.local_rank = 0
    folder = Path(sys.argv[1]) / str(comm.rank)
    tell(comm, "nobody has one", folder)
    for step in range(1, 4 if comm.rank == 2 else 2 + comm.rank):
        keep(folder, step)
    comm.barrier()
    tell(comm, "the last node has the newest", folder)
    if comm.rank == 2:
        spoil(folder)
    comm.barrier()
    tell(comm, "the newest is broken", folder)
    if comm.rank > 0:
        keep(folder, 4)
    if comm.rank == 1:
        spoil(folder)
    comm.barrier()
    tell(comm, "two have it, one of them is broken", folder)
    comm.free()


def keep(folder: Path, step: int) -> None:
    """Save a checkpoint whose contents name its folder."""
    save(folder, Checkpoint(step, 0, step, {}, {}, {"folder": folder.name}))


def spoil(folder: Path) -> None:
    """Cut the newest file to its first bytes."""
    newest = max(folder.iterdir())
    newest.write_bytes(newest.read_bytes()[:50])


def tell(comm: Communicator, name: str, folder: Path) -> None:
    """Print the step of the newest checkpoint that each rank gets; -1 for none."""
    found = newest_checkpoint(comm, folder)
    steps = np.zeros(comm.size, np.int64)
    steps[comm.rank] = -1 if found is None else found.step
    steps = comm.total(steps)
    if comm.rank == 0:
        sys.stdout.write(json.dumps({"name": name, "steps": steps.tolist()}) + "\n")


if __name__ == "__main__":
    try:
        main()
    except Exception:
        traceback.print_exc()
        abort(1)  # the others would wait for this rank for ever
