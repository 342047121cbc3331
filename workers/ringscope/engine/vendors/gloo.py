"""gloo's all-reduce on the same buffers, through PyTorch: the reference for data-parallel training on CPUs.

The ranks find each other through a store whose port is broadcast over MPI. The process group belongs to the
communicator, separate from any default group of torch.distributed, and lives as long as the communicator.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
from mpi4py import MPI

from ringscope.contracts.address import LOOPBACK
from ringscope.contracts.words.dtypes import GLOO_DTYPES
from ringscope.engine.base import Array, Buffer, Plan, bits, components
from ringscope.engine.errors import EngineError
from ringscope.engine.memory.arithmetic import reduction
from ringscope.engine.own_address import own_address
from ringscope.engine.traffic import TRAFFIC
from ringscope.engine.waiting.roll_call import RollCall

_NAME = "gloo's all_reduce"
_TIMEOUT = timedelta(hours=24)  # longer than the roll call's timeout, which names the missing rank
_CONNECT_TIMEOUT = timedelta(seconds=60)
_OPS = {"sum": "SUM", "prod": "PRODUCT", "min": "MIN", "max": "MAX", "avg": "SUM"}


def gloo_plan(comm: MPI.Intracomm, roll_call: RollCall, op: str, send: Buffer, recv: Buffer) -> Plan:
    """Return a plan that calls gloo's all-reduce (collective); EngineError if PyTorch is missing or the dtype is not
    supported.

    The call blocks, supervised by ``roll_call``, and fails by itself when a connection breaks.
    """
    name = recv.local.dtype.name
    if name not in GLOO_DTYPES:
        raise EngineError(
            f"algorithms: gloo does not support {name}; leave out gloo or choose one of {', '.join(GLOO_DTYPES)}."
        )
    return _GlooPlan(_group(comm), roll_call, comm.size, op, send.local, recv.local)


class _GlooPlan:
    """A tensor over the result's memory; gloo works in place, so out of place needs a copy first."""

    def __init__(self, group: Any, roll_call: RollCall, ranks: int, op: str, send: Array, recv: Array) -> None:
        import torch
        from torch import distributed

        self._reduce, self._roll_call = group.allreduce, roll_call
        self._send = None if send.ctypes.data == recv.ctypes.data else send
        self._recv = recv
        self._finish = reduction(op, recv.dtype, ranks).finish
        tensor = torch.from_numpy(bits(recv).view(np.int16) if recv.dtype.name == "bfloat16" else components(recv))
        self._tensors = [tensor.view(torch.bfloat16) if recv.dtype.name == "bfloat16" else tensor]
        self._options = distributed.AllreduceOptions()
        self._options.reduceOp = getattr(distributed.ReduceOp, _OPS[op])

    def run(self) -> None:
        """Call gloo once."""
        if self._send is not None:
            np.copyto(self._recv, self._send)
        with self._roll_call.watchdog.guard(_NAME):
            if self._recv.size:
                self._call()
        if self._finish is not None:
            self._finish(self._recv)

    def _call(self) -> None:
        try:
            self._reduce(self._tensors, self._options).wait()
        except RuntimeError as error:
            raise self._roll_call.error() from error
        TRAFFIC.add_library_call()

    def free(self) -> None:
        """Do nothing: the process group is kept for the next plan."""


def _group(comm: MPI.Intracomm) -> Any:
    """Return the communicator's process group; the first call creates it (collective)."""
    group = comm.Get_attr(_KEY)
    if group is None:
        group = _connect(comm)
        comm.Set_attr(_KEY, group)
    return group


def _connect(comm: MPI.Intracomm) -> Any:
    try:
        from torch import distributed
    except ImportError:
        lacking = True
    else:
        lacking = not distributed.is_gloo_available()
    if comm.allreduce(lacking, MPI.LOR):
        raise EngineError(
            "algorithms: gloo comes with PyTorch, which a rank does not have; "
            "pip install 'ringscope[train]' on every node, or leave out gloo."
        )
    gloo = distributed.ProcessGroupGloo
    store, on_one_node = torch_store(comm)
    options = gloo._Options()
    options._devices = [gloo.create_device(hostname=LOOPBACK if on_one_node else own_address())]
    options._timeout = _TIMEOUT
    return gloo(store, comm.rank, comm.size, options)


def torch_store(comm: MPI.Intracomm) -> tuple[Any, bool]:
    """Return a store of torch.distributed for all ranks, and whether they are on one node (collective)."""
    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    on_one_node = comm.allreduce(node.size, MPI.MIN) == comm.size
    node.Free()
    return _store(comm, LOOPBACK if on_one_node else own_address()), on_one_node


def _store(comm: MPI.Intracomm, host: str) -> Any:
    """Open a store on a free port of rank 0, which broadcasts the port."""
    from torch.distributed import TCPStore

    store = TCPStore(host, 0, comm.size, True, _CONNECT_TIMEOUT, wait_for_workers=False) if comm.rank == 0 else None
    host, port = comm.bcast((host, store.port if store is not None else 0))
    return store or TCPStore(host, port, comm.size, False, _CONNECT_TIMEOUT, wait_for_workers=False)


_KEY = MPI.Comm.Create_keyval()
