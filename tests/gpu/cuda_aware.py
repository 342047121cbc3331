"""Say whether this Python's MPI reaches GPU memory; the exit code is 0 if so, else 1."""

import sys

from ringscope.engine.transports.cuda_aware import is_cuda_aware
from ringscope.engine.transports.mpi import mpi_versions


def main() -> int:
    """1 when it does not."""
    aware = is_cuda_aware()
    sys.stdout.write(f"{mpi_versions()['mpi_library']}: {'CUDA-aware' if aware else 'not CUDA-aware'}\n")
    return int(not aware)


if __name__ == "__main__":
    sys.exit(main())
