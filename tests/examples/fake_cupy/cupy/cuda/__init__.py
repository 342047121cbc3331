import os
from types import SimpleNamespace

from mpi4py import MPI

from cupy.cuda import memory, nccl


class CUDARuntimeError(RuntimeError):
    pass


class Device:
    def __init__(self, number):
        self.number = number

    def use(self):
        memory.device = self.number


def _synchronize():
    for work in memory.pending:
        work()
    memory.pending.clear()


def _bus_id(index):
    assert index < int(os.environ["FAKE_GPUS"])
    first = MPI.COMM_WORLD.rank if "FAKE_GPUS_APART" in os.environ else 0
    return f"0000:{first + index:02x}:00.0"


runtime = SimpleNamespace(
    CUDARuntimeError=CUDARuntimeError,
    getDeviceCount=lambda: int(os.environ["FAKE_GPUS"]),
    deviceGetPCIBusId=_bus_id,
)
Stream = SimpleNamespace(null=SimpleNamespace(ptr=0, synchronize=_synchronize))

__all__ = ["CUDARuntimeError", "Device", "Stream", "nccl", "runtime"]
