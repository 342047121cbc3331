"""MPICH's programs on this node."""

import importlib.util
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class MpiPrograms:
    """Where MPICH's programs are on this node."""

    mpiexec: Path
    proxy: Path


def find_programs() -> MpiPrograms | str:
    """MPICH's programs, or a sentence that says what this node lacks to run ranks."""
    mpiexec = _find_program("mpiexec")
    proxy = _find_program("hydra_pmi_proxy")
    if mpiexec is None or proxy is None:
        lacking = "mpiexec" if mpiexec is None else "hydra_pmi_proxy"
        return f"{lacking} of MPICH is not installed; install it with: pip install 'ringscope[worker]'."
    if importlib.util.find_spec("mpi4py") is None:
        return "mpi4py is not installed; install it with: pip install 'ringscope[worker]'."
    return MpiPrograms(mpiexec, proxy)


def _find_program(name: str) -> Path | None:
    """The one beside this Python (the mpich wheel), else the one on PATH."""
    beside = Path(sys.executable).parent / name
    if beside.exists():
        return beside
    found = shutil.which(name)
    return Path(found) if found else None
