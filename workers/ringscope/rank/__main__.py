"""``python -m ringscope.rank``: one rank of a job."""

import os
import sys

from ringscope.contracts.rank_process import STANDBY_VARIABLE


def main() -> int:
    """Be the rank, or let a fork of a process be it that has loaded PyTorch already."""
    if name := os.environ.pop(STANDBY_VARIABLE, ""):
        from ringscope.rank import borrowed

        if (code := borrowed.run(name)) is not None:
            os._exit(code)  # its descriptors are closed
    from ringscope.rank import program

    return program.main()


sys.exit(main())
