"""Say which transports so many ranks can have on this node's GPUs, and why not: ``python possible.py RANKS``."""

import sys

from ringscope.engine.errors import EngineError
from ringscope.engine.memory import cuda
from ringscope.engine.transports.cuda_aware import is_cuda_aware
from ringscope.engine.transports.mpi import mpi_versions
from ringscope.engine.vendors.nccl_link import check_versions, load_nccl


def main() -> None:
    """A line for each."""
    ranks = int(sys.argv[1])
    for transport in ("nccl", "cuda_ipc", "mpi"):
        reason = why_not(transport, ranks)
        sys.stdout.write(f"{transport}: {f'skipped, because {reason}' if reason else 'possible'}\n")


def why_not(transport: str, ranks: int) -> str:
    """Empty where nothing speaks against it."""
    if transport == "mpi":
        return "" if is_cuda_aware() else f"{mpi_versions()['mpi_library']} is not CUDA-aware."
    if transport == "nccl":
        try:
            ranks = range(-(-ranks // cuda.count()))
            check_versions([load_nccl().get_version()], ranks)
        except EngineError as error:
            return str(error)
    return ""


if __name__ == "__main__":
    main()
