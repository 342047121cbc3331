"""Stacks: each rank writes its own stack on request, also while it is inside a library.

Python's faulthandler writes them from within the signal handler, so that a rank that waits in C for ever still answers.
The answer is in a file of the rank; if it exists, the rank may be signalled: without a handler the signal would end the
process.
"""

import faulthandler
import signal
from pathlib import Path

SIGNAL = signal.SIGUSR2


def answer(folder: str | None, rank: int) -> None:
    """Write the stacks of all threads to the rank's file at each SIGNAL from now on; without a folder do nothing.

    Raises OSError if the file cannot be created.
    """
    if not folder:
        return
    path = file_of(Path(folder), rank)
    starting = path.with_suffix(".new")
    file = starting.open("w")
    faulthandler.register(SIGNAL, file, all_threads=True)  # this keeps the file open
    starting.rename(path)


def file_of(folder: Path, rank: int) -> Path:
    """Return the file to which a rank writes its stacks."""
    return folder / f"{rank}.txt"
