"""Run by test_transports.py on two ranks: rank 1 is killed in its second call, while rank 0 waits for it."""

import os
import signal
import sys

from mpi4py import MPI

from ringscope.engine.memory import cuda
from ringscope.engine.transports.cuda_ipc import CudaIpcTransport
from ringscope.engine.transports.nccl import NcclTransport
from ringscope.engine.waiting.watchdog import Watchdog
from ringscope.schedules.algorithms import build

TIMEOUT_SECONDS = 60.0


def main() -> None:
    """Wait for a rank that is dead; whatever starts the ranks must end this one."""
    world = MPI.COMM_WORLD
    gpu = cuda.claim(world, world.rank)
    transport: NcclTransport | CudaIpcTransport
    if sys.argv[1] == "nccl":
        transport = NcclTransport(world, gpu, Watchdog(world.Abort, TIMEOUT_SECONDS), TIMEOUT_SECONDS)
    else:
        transport = CudaIpcTransport(world, gpu, TIMEOUT_SECONDS)
    send, recv = (transport.allocate(1 << 16).view("float32") for _ in range(2))
    plan = transport.plan(build("ring", 2, recv.local.size), "sum", send, recv)
    plan.run()
    sys.stdout.write("first call done\n")
    sys.stdout.flush()
    world.Barrier()
    if world.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    plan.run()
    sys.stdout.write("a call without a peer ended\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
