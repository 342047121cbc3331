"""Print what the results of tests/gpu/run belong to, and what is missing and where it comes from. Needs no package."""

import importlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

WORKER = "pip install 'ringscope[worker]'"
CUPY = "pip install 'cupy-cuda12x[ctk]' or 'cupy-cuda13x[ctk]', as the driver is"
NCCL = "pip install 'nvidia-nccl-cu12>=2.30' or -cu13"
# The last ones are ours: they import what else we need.
MODULES = {
    "numpy": WORKER,
    "pydantic": WORKER,
    "psutil": WORKER,
    "ml_dtypes": WORKER,
    "numkong": WORKER,
    "typer": WORKER,
    "httpx": WORKER,
    "rich": WORKER,
    "pytest": "pip install pytest",
    "mpi4py": WORKER,
    "cupy": CUPY,
    "mpi4py.MPI": f"{WORKER}, whose mpich brings libmpi, or load the site's MPI",
    "ringscope.engine.communicator": WORKER,
    "ringscope.cli.main": WORKER,
}

# What decides speed and which tests can run: links, modes, clocks. An answer is for readers only.
QUESTIONS = (
    "--query-gpu=index,uuid,driver_version,compute_mode,mig.mode.current,clocks.sm,power.limit --format=csv",
    "topo -m",
)


def main() -> int:
    """1 when something is missing that nothing can be tested without."""
    say(f"Python {sys.version.split()[0]} at {sys.executable}")
    lacking = [name for name, remedy in MODULES.items() if not found(name, partial(version, name), remedy)]
    if not found("mpiexec", mpiexec, WORKER):
        lacking.append("mpiexec")
    if "cupy" not in lacking:
        cuda = sys.modules["cupy"].cuda
        for name, look, remedy in (
            ("CUDA's driver", lambda: driver(cuda.runtime), "install NVIDIA's driver"),
            ("GPUs", lambda: gpus(cuda.runtime), "run it where a GPU is"),
            ("NVRTC", lambda: ".".join(map(str, cuda.nvrtc.getVersion())), CUPY),
        ):
            if not found(name, look, remedy):
                lacking.append(name)
        found("NCCL", nccl, f"{NCCL}; without it only the other transports are tested")
    say(f"/dev/shm: {shared_memory()}")
    for question in QUESTIONS:
        say(nvidia_smi(question))
    if lacking:
        say(f"Cannot test without: {', '.join(lacking)}. Install them, or name a Python that has them in PYTHON.")
    return int(bool(lacking))


def found(name: str, look: Callable[[], object], remedy: str) -> bool:
    """Tell of one thing; whether it is there."""
    try:
        say(f"{name}: {look()}")
    except Exception as error:  # whatever a broken installation raises
        say(f"{name}: MISSING ({' '.join(str(error).split())}); {remedy}.")
        return False
    return True


def say(line: str) -> None:
    """Print the line and flush it at once, as importing a broken library may end this program."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def version(name: str) -> str:
    """Import a module and return its version."""
    return str(getattr(importlib.import_module(name), "__version__", "found"))


def mpiexec() -> str:
    """Return the path of mpiexec, first that of this Python's MPI."""
    beside = Path(sys.executable).with_name("mpiexec")
    path = str(beside) if beside.exists() else shutil.which("mpiexec")
    if path is None:
        raise FileNotFoundError("neither beside this Python nor in PATH")
    return path


def driver(runtime: Any) -> int:
    """The newest CUDA that it supports; CUDA says 0 where there is no driver."""
    if not (told := int(runtime.driverGetVersion())):
        raise LookupError("there is none")
    return told


def shared_memory() -> str:
    """Return the size of /dev/shm: the 64 MB of a Docker container make NCCL fail with 8 ranks."""
    try:
        return f"{shutil.disk_usage('/dev/shm').total >> 20} MiB"
    except OSError as error:
        return f"unknown ({error})"


def nvidia_smi(question: str) -> str:
    """Return what nvidia-smi answers, or why it does not."""
    command = ["nvidia-smi", *question.split()]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{' '.join(command)}: {error}"
    return f"{' '.join(command)}:\n{(told.stdout + told.stderr).rstrip()}"


def gpus(runtime: Any) -> str:
    """Return the names and PCI addresses of the GPUs."""
    names = [
        f"{runtime.getDeviceProperties(index)['name'].decode()} at {runtime.deviceGetPCIBusId(index)}"
        for index in range(runtime.getDeviceCount())
    ]
    if not names:
        raise LookupError("this process sees none")
    return ", ".join(names)


def nccl() -> str:
    """Return NCCL's version, and which of several libraries CuPy has loaded."""
    module = importlib.import_module("cupy.cuda.nccl")
    if not module.available:
        raise ImportError("CuPy finds no libnccl.so.2")
    text = str(module.get_version())
    lines = Path("/proc/self/maps").read_text().splitlines()
    paths = {line.split(maxsplit=5)[-1] for line in lines if "libnccl" in line}
    return " ".join([text, *sorted(paths)])


if __name__ == "__main__":
    sys.exit(main())
