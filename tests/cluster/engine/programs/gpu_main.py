"""Run on every rank, with the fake CuPy or a real one: all that a GPU transport can do gives the exact result."""

import sys
from itertools import product
from random import Random

import ml_dtypes  # noqa: F401 (NumPy then knows bfloat16)
import numpy as np
from mpi4py import MPI

from ringscope.bench.oracle import Case, check, fill, pieces
from ringscope.contracts.words.collectives import REDUCING, SCHEDULED
from ringscope.contracts.words.dtypes import DTYPES, ops_of
from ringscope.engine.base import Buffer, CapturedPlan, EnqueuedPlan, Plan
from ringscope.engine.errors import EngineError
from ringscope.engine.memory import cuda
from ringscope.engine.memory.arrays import copy, module_of, to_host
from ringscope.engine.memory.buffer import GpuMemory
from ringscope.engine.transports.cuda_ipc import CudaIpcTransport
from ringscope.engine.transports.mpi import MpiTransport
from ringscope.engine.transports.nccl import NcclTransport
from ringscope.engine.vendors.mpi import vendor_plan
from ringscope.engine.waiting.watchdog import Watchdog
from ringscope.schedules.algorithms import build

COUNTS = [0, 1, 4, 5, 1009, 65537]
REPEATS = 2
TIMEOUT_SECONDS = 60
GpuTransport = NcclTransport | CudaIpcTransport | MpiTransport


def main() -> int:
    """The number of wrong elements over everything, as seen by this rank."""
    world = MPI.COMM_WORLD
    node = world.Split_type(MPI.COMM_TYPE_SHARED)
    fake = getattr(cuda.load(), "fake", None)
    if fake is not None and sys.argv[1] == "mpi":
        fake.is_lazy = True  # whoever gives MPI an array without waiting for the kernels then sends old values
    watchdog = Watchdog(world.Abort, TIMEOUT_SECONDS)
    transport = _transport(sys.argv[1], world, cuda.claim(world, node.rank), watchdog)
    send, recv = (transport.allocate(max(COUNTS) * world.size * 16) for _ in range(2))
    seed = wrong = checked = 0
    random = Random(1)  # every rank draws the same
    for collective, algorithms in SCHEDULED.items():
        vendors = [] if isinstance(transport, CudaIpcTransport) else [sys.argv[1]]
        for algorithm, count, in_place in product((*algorithms, *vendors), COUNTS, (False, True)):
            dtype, root = random.choice(DTYPES), count % world.size
            op = random.choice(ops_of(dtype)) if collective in REDUCING else "sum"
            even = collective == "alltoall" or (algorithm == "nccl" and collective in ("reduce_scatter", "all_gather"))
            total = count * world.size if even else count
            size_bytes = total * np.dtype(dtype).itemsize
            target = recv.head(size_bytes).view(dtype)
            source = target if in_place else send.head(size_bytes).view(dtype)
            if algorithm == "mpi":
                try:
                    plan = vendor_plan(world, watchdog, transport.memory, collective, op, source, target, root)
                except EngineError as error:
                    assert f"dtype: this MPI does not support {dtype} in GPU memory" in str(error), error
                    assert dtype in ("float16", "bfloat16") and collective in REDUCING
                    continue
            else:
                plan = _plan(transport, algorithm, collective, op, source, target, root)
            wanted = pieces(collective, total, world.size, world.rank, root)
            for _ in range(REPEATS):
                seed += 1
                case = Case(np.dtype(dtype), op if collective in REDUCING else "none", world.size, seed)
                target.local.view(np.uint8).fill(0xA5)
                host = np.empty(total, dtype)
                fill(host, case, world.rank)
                copy(staged := module_of(source.local).empty_like(source.local), host)
                module_of(staged).copyto(source.local, staged)  # only enqueued: the plan must wait for it
                if isinstance(plan, EnqueuedPlan) and in_place is False:
                    plan.enqueue()  # twice before one wait: out of place, both give the same result
                    if isinstance(plan, CapturedPlan) and seed % 3 == 0:
                        plan.wait()
                        target.local.view(np.uint8).fill(0xA5)
                        launch = plan.capture(plan.enqueue, algorithm)
                        launch()
                        launch()
                        plan.wait()
                        found = check(to_host(target.local), case, wanted)
                        if found:
                            sys.stdout.write(f"{collective} {algorithm} {op} {dtype} {count} as a graph: {found}\n")
                            wrong += found.wrong
                plan.run()
                assert fake is None or not fake.pending, "the plan returned before its result was there"
                result = to_host(target.local)
                found = check(result, case, wanted)
                checked += 1
                if found:
                    sys.stdout.write(f"{collective} {algorithm} {op} {dtype} {count} in place {in_place}: {found}\n")
                    wrong += found.wrong
                if not in_place:
                    assert (to_host(source.local).view(np.uint8) == host.view(np.uint8)).all()
            plan.free()
    transport.free()
    sys.stdout.write(f"{transport.name}: checked {checked}\n")
    return min(wrong, 1)


def _transport(name: str, world: MPI.Intracomm, gpu: cuda.Gpu, watchdog: Watchdog) -> GpuTransport:
    match name:
        case "nccl":
            registration = int(sys.argv[2]) if len(sys.argv) > 2 else 0
            return NcclTransport(world, gpu, watchdog, TIMEOUT_SECONDS, registration=registration)
        case "cuda_ipc":
            return CudaIpcTransport(world, gpu, TIMEOUT_SECONDS)
    return MpiTransport(world, TIMEOUT_SECONDS, GpuMemory(world.rank, gpu, TIMEOUT_SECONDS))


def _plan(
    transport: GpuTransport,
    algorithm: str,
    collective: str,
    op: str,
    send: Buffer,
    recv: Buffer,
    root: int,
) -> Plan:
    if algorithm == "nccl":
        assert isinstance(transport, NcclTransport)
        return transport.vendor_plan(collective, op, send, recv, root)
    size = MPI.COMM_WORLD.size
    schedule = build(algorithm, size, recv.local.size, (tuple(range(size)),), collective, root)
    return transport.plan(schedule, op, send, recv)


if __name__ == "__main__":
    sys.exit(main())
