"""What this node is made of: cores, memory, GPUs, and the versions of what the ranks will use."""

import importlib.metadata
import platform
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import psutil

from ringscope.environment import cpu_model
from ringscope.protocol import Gpu, Inventory

try:
    import pynvml  # type: ignore[import-untyped]
except ImportError:  # an installation without the worker extra has no GPUs to show
    pynvml = None

_DISTRIBUTIONS = ("ringscope", "mpi4py", "numpy")


def take_inventory() -> Inventory:
    """Look at the machine; takes a few milliseconds."""
    return Inventory(
        hostname=socket.gethostname(),
        os=_os_name(),
        cpu_model=cpu_model(),
        cores=psutil.cpu_count() or 1,
        memory_bytes=psutil.virtual_memory().total,
        gpus=_gpus(),
    )


def find_versions(mpiexec: Path | None) -> dict[str, str]:
    """Versions by name; what is not installed is left out."""
    versions = {"python": platform.python_version()}
    for name in _DISTRIBUTIONS:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    if mpiexec is not None and (mpi := _mpi_version(mpiexec)):
        versions["mpi"] = mpi
    return versions


def find_program(name: str) -> Path | None:
    """A program of the MPI library: the one beside this Python (the mpich wheel), else the one on PATH."""
    beside = Path(sys.executable).parent / name
    if beside.exists():
        return beside
    found = shutil.which(name)
    return Path(found) if found else None


def _mpi_version(mpiexec: Path) -> str | None:
    """Only Hydra is of use here: another launcher (Open MPI's) counts as no MPI."""
    try:
        answer = subprocess.run(
            [mpiexec, "--version"],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"HYDRA build details:\s+Version:\s+(\S+)", answer.stdout)
    return f"MPICH {found[1]}" if found else None


def _os_name() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.platform(terse=True)


def _gpus() -> list[Gpu]:
    if pynvml is None:
        return []
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:  # no driver, so no NVIDIA GPU
        return []
    try:
        return [_gpu(index) for index in range(pynvml.nvmlDeviceGetCount())]
    except pynvml.NVMLError:
        return []
    finally:
        pynvml.nvmlShutdown()


def _gpu(index: int) -> Gpu:
    handle = pynvml.nvmlDeviceGetHandleByIndex(index)
    return Gpu(
        index=index,
        uuid=str(pynvml.nvmlDeviceGetUUID(handle)),
        model=str(pynvml.nvmlDeviceGetName(handle)),
        memory_bytes=int(pynvml.nvmlDeviceGetMemoryInfo(handle).total),
    )
