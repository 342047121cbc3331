"""Run by test_transports.py on two ranks: rank 1 leaves out a call, and rank 0 must learn of it, not hang."""

import os
import re
import sys
import time

from mpi4py import MPI

from ringscope.engine.errors import EngineError
from ringscope.engine.memory import cuda
from ringscope.engine.memory.buffer import GpuMemory
from ringscope.engine.transports.cuda_ipc import CudaIpcTransport
from ringscope.engine.transports.mpi import MpiTransport
from ringscope.engine.transports.nccl import NcclTransport
from ringscope.engine.waiting.watchdog import Watchdog
from ringscope.schedules.algorithms import build

TIMEOUT_SECONDS = float(sys.argv[2])


def main() -> None:
    """All asserts, as seen by this rank."""
    world = MPI.COMM_WORLD
    gpu = cuda.claim(world, world.rank)
    transport: NcclTransport | CudaIpcTransport | MpiTransport
    match sys.argv[1]:
        case "nccl":
            watchdog = Watchdog(world.Abort, 10 * TIMEOUT_SECONDS)  # joining takes seconds
            transport = NcclTransport(world, gpu, watchdog, TIMEOUT_SECONDS)
        case "cuda_ipc":
            transport = CudaIpcTransport(world, gpu, TIMEOUT_SECONDS)
        case _:
            transport = MpiTransport(world, TIMEOUT_SECONDS, GpuMemory(world.rank, gpu, TIMEOUT_SECONDS))
    send, recv = (transport.allocate(1 << 16).view("float32") for _ in range(2))
    plan = transport.plan(build("ring", 2, recv.local.size), "sum", send, recv)
    send.local.fill(1)
    plan.run()
    if world.rank == 0:
        start = time.monotonic()
        try:
            plan.run()
        except EngineError as error:
            assert re.search(r"[Rr]ank 0 waited [0-9.]+ s .*step", str(error)), error
        else:
            raise AssertionError("one rank alone cannot have finished")
        assert time.monotonic() - start < 4 * TIMEOUT_SECONDS
    world.Barrier()
    if isinstance(transport, NcclTransport):  # both abort in it: the abort of one alone may not return
        transport.rebuild()
        plan.run()
        assert (recv.local.get() == 2).all()
    sys.stdout.write("all asserts held\n")
    sys.stdout.flush()
    world.Barrier()
    os._exit(0)  # the ranks are a call apart now: taking it all down together would hang


if __name__ == "__main__":
    main()
