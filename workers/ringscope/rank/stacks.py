"""Stacks: what a rank is doing, written by itself when it is asked, also while it is inside of a library.

Python's faulthandler writes them from within the signal's handler, so that a rank that waits in C for ever still
answers. Who asks finds the answer in a file of the rank's own, whose existence says that the rank may be asked: without
a handler the signal would end it.
"""

import faulthandler
import signal
from pathlib import Path

SIGNAL = signal.SIGUSR2


def answer(folder: str | None, rank: int) -> None:
    """Write the stacks of all threads to the rank's file at each SIGNAL from now on; without a folder do nothing.

    Raises OSError when the file cannot be made.
    """
    if not folder:
        return
    path = file_of(Path(folder), rank)
    starting = path.with_suffix(".new")
    file = starting.open("w")
    faulthandler.register(SIGNAL, file, all_threads=True)  # which keeps the file open
    starting.rename(path)


def file_of(folder: Path, rank: int) -> Path:
    """Return the file to which a rank writes its stacks."""
    return folder / f"{rank}.txt"
