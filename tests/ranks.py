"""Runs a program on ranks of this machine and gives what it said."""

import os
import subprocess
from collections.abc import Mapping, Sequence

from ringscope.rank.mpiexec import start_ranks


def run_ranks(
    count: int, program: Sequence[str], environment: Mapping[str, str], deadline_seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run the program on ``count`` ranks as ``subprocess.run`` with ``capture_output`` would.

    ``environment`` is added to this process's own.
    """
    everything = os.environ | dict(environment)
    with start_ranks(count, program, everything, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            stdout, stderr = process.communicate(timeout=deadline_seconds)
        except BaseException:
            process.terminate()  # mpiexec passes it on to its ranks
            raise
    return subprocess.CompletedProcess(list(program), process.returncode, stdout, stderr)
