"""Run by test_nccl_joining.py on two ranks: one cannot join NCCL's communicator, where the other one waits for it."""

import cupy
from mpi4py import MPI

from ringscope.engine.communicator import Communicator

if MPI.COMM_WORLD.rank == 1:
    cupy.fake.refused = {"NcclCommunicator": 1}
Communicator("nccl", timeout_seconds=1, device="cuda")
