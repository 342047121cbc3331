"""Find out whether the MPI library accepts GPU memory: the standard has no query for it, but each library has one."""

from __future__ import annotations

import ctypes
from typing import Any

from mpi4py import MPI

from ringscope.engine.errors import EngineError
from ringscope.engine.transports.mpi import mpi_versions

_CUDA = 0  # MPIX_GPU_SUPPORT_CUDA


def says_cuda_aware(library: Any) -> bool:
    """Ask a library, loaded by ctypes, whether it is CUDA-aware, after MPI_Init; False if it has no such function.

    MPICH and its derivatives have ``MPIX_GPU_query_support``, Open MPI ``MPIX_Query_cuda_support``. An MPI that is not
    CUDA-aware would treat GPU addresses as host addresses and crash, so in doubt the answer is no.
    """
    if hasattr(library, "MPIX_GPU_query_support"):
        answer = ctypes.c_int(0)
        failed = library.MPIX_GPU_query_support(_CUDA, ctypes.byref(answer))
        return not failed and bool(answer.value)
    return hasattr(library, "MPIX_Query_cuda_support") and library.MPIX_Query_cuda_support() == 1


def is_cuda_aware() -> bool:
    """Return the answer of the MPI library of this process."""
    # symbols are also searched in the libraries that the module is linked with
    return says_cuda_aware(ctypes.CDLL(MPI.__file__))


def require_cuda_aware(comm: MPI.Intracomm) -> None:
    """Raise EngineError on all ranks unless every rank's MPI is CUDA-aware (collective)."""
    unfit = "" if is_cuda_aware() else mpi_versions()["mpi_library"].partition(",")[0]
    for rank, library in enumerate(comm.allgather(unfit)):
        if library:
            raise EngineError(
                f"transport: mpi on device cuda needs an MPI that reaches GPU memory, and that of rank {rank} "
                f"({library}) does not; choose nccl or cuda_ipc, or install a CUDA-aware MPI, such as Open MPI built "
                "with UCX and CUDA, and mpi4py for it."
            )
