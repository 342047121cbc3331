"""Run by test_stalls.py on every rank: one of them fails the others, who must say so in time."""

import os
import signal
import socket
import sys

import numpy as np

import ringscope
from ringscope.transports import mpi, shared_memory
from ringscope.transports.arithmetic import Reduction

CULPRIT, TIMEOUT_SECONDS = 1, 1.5


def never_call(comm: ringscope.Communicator) -> None:
    """The culprit does something else for ever; nobody catches the error."""
    if comm.rank == CULPRIT:
        signal.pause()
    try:
        ringscope.all_reduce(np.ones(8, np.float32))
    except ringscope.StalledError:
        tell_error()
        raise


def end_in_the_ring(comm: ringscope.Communicator, end: signal.Signals) -> None:
    """The culprit gets a signal when it adds for the second time, in step 1; all others say whom they waited for."""
    additions = []

    def add(first: np.ndarray, second: np.ndarray, result: np.ndarray) -> None:
        additions.append(1)
        if len(additions) == 2:
            os.kill(os.getpid(), end)
        np.add(first, second, result)

    if comm.rank == CULPRIT:
        for transport in (mpi, shared_memory):
            transport.reduction = lambda *_: Reduction(add)
    try:
        ringscope.all_reduce(np.ones(64, np.float32), algorithm="ring")
    except ringscope.StalledError:
        tell_error()
        signal.pause()  # the first to leave would take the others with it


def tell_error() -> None:
    """Send the running error's sentence to the test: output on the way through mpiexec may be lost when it ends."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(str(sys.exception()).encode(), sys.argv[3])


if __name__ == "__main__":
    communicator = ringscope.init(sys.argv[1], TIMEOUT_SECONDS)
    match sys.argv[2]:
        case "never":
            never_call(communicator)
        case name:
            end_in_the_ring(communicator, signal.Signals[name])
