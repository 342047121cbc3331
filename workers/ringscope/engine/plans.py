"""Choose the executor of a collective: one of our schedules on the transport, or a library."""

from dataclasses import dataclass

from mpi4py import MPI

from ringscope.contracts.words.collectives import REDUCING, available
from ringscope.contracts.words.devices import VENDOR_DEVICES
from ringscope.contracts.words.dtypes import check_op
from ringscope.engine.base import Buffer, Plan, Transport, remembered
from ringscope.engine.calls import check
from ringscope.engine.errors import EngineError
from ringscope.engine.memory.buffer import HostMemory, Memory
from ringscope.engine.transports.mpi import MpiTransport
from ringscope.engine.transports.nccl import NcclTransport
from ringscope.engine.vendors.gloo import gloo_plan
from ringscope.engine.vendors.mpi import vendor_plan
from ringscope.engine.waiting.roll_call import RollCall
from ringscope.schedules.algorithms import SCHEDULES, build
from ringscope.schedules.halves import halves
from ringscope.schedules.schedule import Schedule

_build = remembered(build)


@dataclass(frozen=True, slots=True)
class Planner:
    """The dependencies of all plans of one communicator."""

    comm: MPI.Intracomm
    nodes: tuple[tuple[int, ...], ...]
    transport: Transport
    is_on_gpus: bool
    roll_call: RollCall
    channels: int

    def plan(self, algorithm: str, op: str, send: Buffer, recv: Buffer, collective: str, root: int) -> Plan:
        """Make a plan, as ``Communicator.plan`` does."""
        if collective not in REDUCING:
            op = "sum"  # for a single value: the value
        check("op", check_op, op, recv.local.dtype.name)
        if algorithm not in available(collective):
            raise EngineError(
                f"algorithm: {collective} does not support {algorithm}; choose one of "
                f"{', '.join(available(collective))}."
            )
        here = "cuda" if self.is_on_gpus else "cpu"
        if here not in VENDOR_DEVICES.get(algorithm, (here,)):
            raise EngineError(f"algorithm: {algorithm} does not work on device {here}; choose another one.")
        match algorithm:
            case "nccl":
                if not isinstance(self.transport, NcclTransport):
                    raise EngineError("algorithm: nccl needs transport nccl; choose that or another algorithm.")
                return self.transport.vendor_plan(collective, op, send, recv, root)
            case "mpi":
                return vendor_plan(
                    self.comm, self.roll_call.watchdog, self._mpi_memory(), collective, op, send, recv, root
                )
            case "gloo":
                return gloo_plan(self.comm, self.roll_call, op, send, recv)
        return self.transport.plan(self._schedule(algorithm, recv.local.size, collective, root), op, send, recv)

    def halves(self, algorithm: str, count: int) -> tuple[Schedule, Schedule] | None:
        """Return the halves of our all-reduce of ``count`` elements; None if it has none."""
        return halves(self._schedule(algorithm, count)) if algorithm in SCHEDULES else None

    def _schedule(self, algorithm: str, count: int, collective: str = "all_reduce", root: int = 0) -> Schedule:
        return _build(algorithm, self.comm.size, count, self.nodes, collective, root, self.channels)

    def _mpi_memory(self) -> Memory:
        if isinstance(self.transport, MpiTransport):
            return self.transport.memory
        if self.is_on_gpus:
            raise EngineError(
                "algorithm: mpi does not work on device cuda without transport mpi; choose that or another algorithm."
            )
        return HostMemory()
