"""Run by test_stalls.py on every rank: one of them fails the others, who must say so in time."""

import os
import signal
import socket
import sys
from collections.abc import Callable

import numpy as np

import ringscope
from ringscope.engine.communicator import Communicator
from ringscope.engine.memory import buffer as memory
from ringscope.engine.memory.arithmetic import Reduction
from ringscope.engine.transports import mpi, shared_memory

CULPRIT, TIMEOUT_SECONDS = 1, 1.5


def never_call(comm: ringscope.Communicator) -> None:
    """Call a collective that the culprit never calls; no rank catches the error."""
    if comm.rank == CULPRIT:
        signal.pause()
    try:
        ringscope.all_reduce(np.ones(8, np.float32))
    except ringscope.StalledError:
        tell_error()
        raise


def never_run_the_plan(comm: ringscope.Communicator) -> None:
    """Likewise of a plan that the program itself prepared."""
    buffer = comm.buffer(64).view("float32")
    plan = comm.plan("ring", "sum", buffer, buffer)
    run_after(comm, plan.run)


def never_step(comm: ringscope.Communicator) -> None:
    """Likewise of the sums that backward waits for."""
    import torch

    model = torch.nn.Linear(4, 1)
    ringscope.DistributedOptimizer(torch.optim.SGD(model.parameters()), model, "ring")
    run_after(comm, model(torch.ones(1, 4)).sum().backward)


def run_after(comm: ringscope.Communicator, call: Callable[[], object]) -> None:
    """Run the call once all ranks are here; the culprit never runs it."""
    comm.barrier()
    if comm.rank == CULPRIT:
        signal.pause()
    try:
        call()
    except ringscope.StalledError:
        tell_error()
        raise


def end_in_the_ring(comm: ringscope.Communicator, end: Callable[[], object]) -> None:
    """The culprit ends when it adds for the second time, in step 1; all others say whom they waited for."""
    additions = []

    def add(first: np.ndarray, second: np.ndarray, result: np.ndarray) -> None:
        additions.append(1)
        if len(additions) == 2:
            end()
        np.add(first, second, result)

    if comm.rank == CULPRIT:
        shared_memory.reduction = lambda *_: Reduction(add)
        memory.HostMemory.reduction = lambda *_: Reduction(add)
    try:
        ringscope.all_reduce(np.ones(64, np.float32), algorithm="ring")
    except ringscope.StalledError:
        tell_error()
        signal.pause()  # the first to leave would take the others with it


def stay_away_from_a_library(library: str, end: Callable[[], object]) -> None:
    """The culprit ends when all call a library for the fourth time, which blocks the others."""

    def give_up(error: ringscope.EngineError) -> None:
        tell(error)
        mpi.abort(1)

    comm = Communicator("auto", TIMEOUT_SECONDS, give_up=give_up)
    buffer = comm.buffer(64).view("float32")
    plan = comm.plan(library, "sum", buffer, buffer)
    comm.barrier()  # counts as a call too
    plan.run()
    if comm.rank == CULPRIT:
        end()
    try:
        plan.run()
    except ringscope.EngineError as error:  # gloo notices by itself when a connection breaks
        give_up(error)


def tell_error() -> None:
    """Send the running error's sentence to the test."""
    tell(sys.exception())


def tell(error: BaseException | None) -> None:
    """Send an error's sentence to the test: output on the way through mpiexec may be lost when it ends."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(str(error).encode(), sys.argv[3])


def ending(name: str) -> Callable[[], object]:
    """Return how the culprit ends: it stays away, leaves, or gets a signal."""
    match name:
        case "never":
            return signal.pause
        case "leave":
            return lambda: os._exit(0)
    return lambda: os.kill(os.getpid(), signal.Signals[name])


if __name__ == "__main__":
    match sys.argv[1], sys.argv[2]:
        case ("mpi_library" | "gloo") as library, name:
            stay_away_from_a_library(library.removesuffix("_library"), ending(name))
        case "plan", _:
            never_run_the_plan(ringscope.init("auto", TIMEOUT_SECONDS))
        case "optimizer", _:
            never_step(ringscope.init("auto", TIMEOUT_SECONDS))
        case transport, "never":
            never_call(ringscope.init(transport, TIMEOUT_SECONDS))
        case transport, name:
            end_in_the_ring(ringscope.init(transport, TIMEOUT_SECONDS), ending(name))
