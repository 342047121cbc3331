"""MPICH's programs on this node."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from ringscope.rank.mpiexec import find_program


@dataclass(frozen=True)
class MpiPrograms:
    """The paths of MPICH's programs on this node."""

    mpiexec: Path
    proxy: Path


def find_programs() -> MpiPrograms | str:
    """Return MPICH's programs, or a sentence on what this node lacks to run ranks."""
    mpiexec = find_program("mpiexec")
    proxy = find_program("hydra_pmi_proxy")
    if mpiexec is None or proxy is None:
        lacking = "mpiexec" if mpiexec is None else "hydra_pmi_proxy"
        return f"{lacking} of MPICH is not installed; install it with: pip install 'ringscope[worker]'."
    if importlib.util.find_spec("mpi4py") is None:
        return "mpi4py is not installed; install it with: pip install 'ringscope[worker]'."
    return MpiPrograms(mpiexec, proxy)
