"""Environment of a run: versions, relevant variables, the machine, and the processors that a rank may use."""

import importlib.metadata
import os
import platform
import re
import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import psutil

from ringscope.contracts.rank_process import SOCKET_VARIABLE, SPEC_VARIABLE
from ringscope.contracts.record import MOST_VARIABLES, Environment, Hello
from ringscope.contracts.words.secrets import is_secret, without_user
from ringscope.rank.reporter import Reporter
from ringscope.revision import revision

_NUMA = Path("/sys/devices/system/node")
_CPUS = Path("/sys/devices/system/cpu")
_DISTRIBUTIONS = (
    "ringscope", "numpy", "mpi4py", "mpich", "openmpi", "impi-rt", "ml-dtypes", "numkong", "torch",
)  # fmt: skip
# Names of the same library for each CUDA version, or for CPUs only.
_BUILDS = {
    "cupy": ("cupy-cuda12x", "cupy-cuda13x", "cupy"),
    "nccl": ("nvidia-nccl-cu12", "nvidia-nccl-cu13"),
    "tensorflow": ("tensorflow-cpu", "tensorflow"),
}
_PREFIXES = (
    "NCCL_", "UCX_", "UCC_", "MPICH_", "MPIR_", "MPIO_", "HYDRA_", "I_MPI_", "OMPI_", "PRTE_", "PMIX_MCA_", "OMP_",
    "KMP_", "GOMP_", "MKL_", "OPENBLAS_", "CUDA_", "CUPY_", "NVIDIA_", "TORCH_", "TF_", "GLOO_", "TP_", "SLURM_", "FI_",
    "RDMAV_", "IBV_", "MLX5_", "RINGSCOPE_", "MALLOC_", "PYTORCH_", "HF_",
)  # fmt: skip
# Terraform's, which has TensorFlow's prefix, on machines that it has set up.
_FOREIGN_PREFIXES = (
    "TF_CLI_", "TF_DATA_DIR", "TF_IGNORE", "TF_INPUT", "TF_IN_AUTOMATION", "TF_LOG", "TF_PLUGIN_", "TF_REATTACH_",
    "TF_REGISTRY_", "TF_STATE_", "TF_TOKEN_", "TF_VAR_", "TF_WORKSPACE",
)  # fmt: skip
_PLUMBING = frozenset({SOCKET_VARIABLE, SPEC_VARIABLE, "RINGSCOPE_AGENT_HOME"})
_NAMES = frozenset({"GLIBC_TUNABLES", "LD_PRELOAD", "LD_LIBRARY_PATH", "MPI4PY_RC_THREADS", "VIRTUAL_ENV"})
_MOST_CHARACTERS = 1000


@dataclass(frozen=True)
class Standing:
    """The number of a rank among all ``ranks``, its number on its node, all ranks of its node, and its device."""

    rank: int
    ranks: int
    local_rank: int
    here: Sequence[int]
    device: str = "cpu"


def introduce(standing: Standing, reporter: Reporter) -> None:
    """Send the rank's place, and on the first rank of each node its environment."""
    from ringscope.engine.transports.mpi import mpi_versions

    cpus = bound_cpus()
    hello = Hello(
        rank=standing.rank,
        local_rank=standing.local_rank,
        ranks=standing.ranks,
        pid=os.getpid(),
        host=socket.gethostname(),
        device=standing.device,
        cpus=cpus,
        numa_node=numa_node(cpus),
        time_ns=time.time_ns(),
    )
    reporter.send(hello)
    if standing.local_rank == 0:
        reporter.send(take_environment(standing.rank, standing.here, mpi_versions(), os.environ))


def take_environment(
    rank: int, ranks: Iterable[int], mpi: Mapping[str, str], variables: Mapping[str, str]
) -> Environment:
    """Collect this node's environment, on its first rank; takes some milliseconds.

    Args: rank: the rank that reports it. ranks: all ranks on this node. mpi: versions of the MPI library, which only a
    transport may query. variables: the process's environment.
    """
    return Environment(
        rank=rank,
        host=socket.gethostname(),
        ranks=list(ranks),
        versions=installed_versions() | _commit() | dict(mpi) | _system_versions(),
        variables=telling_variables(variables),
        cpu_model=cpu_model(),
        cores=psutil.cpu_count() or 1,
        physical_cores=psutil.cpu_count(logical=False),
        sockets=len(_sockets()) or None,
        numa_nodes=len(_numa_nodes()) or None,
        memory_bytes=psutil.virtual_memory().total,
        time_ns=time.time_ns(),
    )


def telling_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that influence a run, without everything that looks like a secret.

    A variable is left out if its name, or an assignment inside its value, looks like a secret; in a URL only user and
    password are removed.
    """
    kept = {name: value for name, value in variables.items() if name.startswith(_PREFIXES) or name in _NAMES}
    told = {
        name: without_user(value)[:_MOST_CHARACTERS]
        for name, value in sorted(kept.items())
        if name not in _PLUMBING and not name.startswith(_FOREIGN_PREFIXES) and not is_secret(name, value)
    }
    return dict(islice(told.items(), MOST_VARIABLES))


def installed_versions() -> dict[str, str]:
    """Return the versions of the libraries that a run may use; missing libraries are left out."""
    builds = {name: (name,) for name in _DISTRIBUTIONS} | _BUILDS
    found = {name: next(filter(None, map(_version, names)), None) for name, names in builds.items()}
    return {"python": platform.python_version()} | {name: version for name, version in found.items() if version}


def cpu_model() -> str:
    """Return the kernel's name for the processor."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.machine()


def bound_cpus() -> list[int]:
    """Return the processors that this process may run on; empty if the system does not report them."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def numa_node(cpus: Iterable[int]) -> int | None:
    """Return the NUMA node to which all of ``cpus`` belong; None if there are several, or if it is unknown."""
    wanted = set(cpus)
    return next((node for node, members in _numa_nodes().items() if wanted and wanted <= members), None)


def parse_cpus(text: str) -> set[int]:
    """Parse a list of the kernel: "0-2,8" is 0, 1, 2 and 8."""
    ranges = (part.partition("-") for part in text.strip().split(",") if part)
    return {cpu for first, _, last in ranges for cpu in range(int(first), int(last or first) + 1)}


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _commit() -> dict[str, str]:
    commit = revision()
    return {"ringscope_commit": commit} if commit else {}


def _system_versions() -> dict[str, str]:
    name, version = platform.libc_ver()
    return {"kernel": f"{platform.system()} {platform.release()}"} | ({name: version} if name else {})


def _numa_nodes() -> dict[int, set[int]]:
    return {
        int(path.parent.name.removeprefix("node")): parse_cpus(path.read_text())
        for path in _NUMA.glob("node[0-9]*/cpulist")
    }


def _sockets() -> set[str]:
    return {path.read_text().strip() for path in _CPUS.glob("cpu[0-9]*/topology/physical_package_id")}
