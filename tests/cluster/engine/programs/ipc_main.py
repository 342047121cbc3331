"""Run by test_cuda_ipc.py on every rank: the order in which CUDA is told about handles and events."""

import sys

import cupy
from mpi4py import MPI

from ringscope.engine.errors import EngineError
from ringscope.engine.memory.cuda import Gpu
from ringscope.engine.transports.cuda_ipc import CudaIpcTransport
from ringscope.schedules.algorithms import build


def names(*wanted: str) -> list[str]:
    """The calls since the last look, as far as ``wanted``."""
    found = [call[0] for call in cupy.fake.calls if call[0] in wanted]
    cupy.fake.calls.clear()
    return found


def check_stepwise(peers: int) -> None:
    """A ring that has just run."""
    calls = names("wait_event", "record", "streamWaitEvent", "add", "copyto")
    assert calls[:3] == ["record", "wait_event", "record"], "the caller's stream first, then: entered"
    actions = 2 * peers
    assert calls.count("record") == 2 + actions, "each action is followed by its event"
    assert calls.count("add") == calls.count("copyto") == peers
    assert calls[3] == "streamWaitEvent", "nothing is read before its owner has entered"
    for at, name in enumerate(calls):
        assert name not in ("add", "copyto") or calls[at + 1] == "record"


def check_refused() -> None:
    """Check that all ranks learn it if one rank cannot export its events."""
    world, runtime = MPI.COMM_WORLD, cupy.cuda.runtime
    export = runtime.ipcGetEventHandle

    def refuse(event: int) -> bytes:
        raise runtime.CUDARuntimeError(999)

    if world.rank == 1:
        runtime.ipcGetEventHandle = refuse
    try:
        CudaIpcTransport(world, Gpu(0, "0000:00:00.0", (world.rank,)))
    except EngineError as error:
        assert str(error).startswith("cuda_ipc: rank 1 cannot share GPU memory with other processes (cudaError999)"), (
            error
        )
    else:
        raise AssertionError("went through")
    runtime.ipcGetEventHandle = export
    cupy.fake.calls.clear()


def main() -> None:
    """All asserts, as seen by this rank."""
    check_refused()
    world = MPI.COMM_WORLD
    peers = world.size - 1
    transport = CudaIpcTransport(world, Gpu(0, "0000:00:00.0", (world.rank,)))
    send, recv = (transport.allocate(4096).view("float32") for _ in range(2))
    opened = names("ipcGetMemHandle", "ipcOpenMemHandle")
    assert opened == ["ipcGetMemHandle", *["ipcOpenMemHandle"] * peers] * 2, "once per peer and allocation"

    hub = transport.plan(build("direct", world.size, 1024), "sum", send, recv)
    cupy.fake.calls.clear()  # its kernels were compiled
    hub.run()
    kernel = f"ringscope_sum_{world.size}_{world.size}"
    want = ["wait_event", "record", *["streamWaitEvent"] * peers, kernel, "record", *["streamWaitEvent"] * peers]
    assert names("wait_event", "record", "streamWaitEvent", kernel)[1:] == want, "one kernel, between two rounds"

    ring = transport.plan(build("ring", world.size, 1024), "sum", send, recv)
    cupy.fake.calls.clear()  # its kernels were compiled
    ring.run()
    if world.size > 2:  # a ring of two has hubs too
        check_stepwise(peers)

    del send, recv, hub, ring
    transport.free()
    assert names("ipcCloseMemHandle", "free") == ["ipcCloseMemHandle"] * 2 * peers + ["free"] * 2, (
        "a buffer that nobody holds any more is kept until its peers have closed it"
    )
    sys.stdout.write("all asserts held\n")


if __name__ == "__main__":
    main()
