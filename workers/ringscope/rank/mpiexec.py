"""Finds MPI's programs and starts ranks on this machine; no other module runs mpiexec for ranks of this machine.

An agent starts the ranks of a gang through Hydra's manual launcher (``ringscope_agent.launch``).
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ringscope.contracts.errors import UserError
from ringscope.rank.foreign import without_foreign

# Hydra looks in the environment for a batch system, and then uses its launcher. With the launcher option alone, ranks
# would still be counted by that system's nodes.
_HERE = ("-launcher", "fork", "-rmk", "user")


def find_program(name: str) -> Path | None:
    """The program of MPI that belongs to this Python, else the one on PATH; None if there is none."""
    beside = Path(sys.executable).with_name(name)
    if os.access(beside, os.X_OK):
        return beside
    found = shutil.which(name)
    return Path(found) if found else None


def find_mpiexec() -> Path:
    """Return the mpiexec that belongs to this Python, else the one on PATH; UserError if there is none."""
    found = find_program("mpiexec")
    if found is None or importlib.util.find_spec("mpi4py") is None:
        missing = "mpiexec" if found is None else "mpi4py"
        raise UserError(f"MPI is missing ({missing} was not found); pip install 'ringscope[worker]' installs one.")
    return found


def start_ranks(
    count: int, program: Sequence[str], environment: Mapping[str, str], options: Sequence[str] = (), **popen: Any
) -> subprocess.Popen[Any]:
    """Start ``program`` on ``count`` ranks of this machine, even if this process runs in a batch job.

    ``options`` are options of Hydra, which are not passed to any other mpiexec. ``popen`` are the other arguments of
    ``subprocess.Popen``. Raises UserError if there is no MPI.
    """
    command = local_command(count, program, options)
    return subprocess.Popen(command, env=without_foreign(environment), **popen)


def local_command(count: int, program: Sequence[str], options: Sequence[str] = ()) -> list[str]:
    """Return the command that starts ``program`` on ``count`` ranks here; its environment must be
    ``without_foreign``.
    """
    mpiexec = find_mpiexec()
    hydra = (*_HERE, *options) if _is_hydra(mpiexec) else ()
    return [str(mpiexec), *hydra, "-n", str(count), *program]


def _is_hydra(mpiexec: Path) -> bool:
    """Return whether this mpiexec is MPICH's: only that one knows Hydra's options."""
    program = mpiexec.resolve()
    return program.name == "mpiexec.hydra" or program.with_name("mpiexec.hydra").exists()
