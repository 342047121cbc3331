"""The node's cores, memory, GPUs and network interfaces, and the versions of the software that the ranks will use."""

import os
import platform
import re
import socket
import subprocess
import sys
from pathlib import Path

import psutil

from ringscope.contracts.inventory import Inventory, Lack, Nic
from ringscope.contracts.words.machine import Machine
from ringscope.engine.control_group import most_bytes
from ringscope.engine.own_address import addresses_of, is_only_here
from ringscope.rank.environment import cpu_model, installed_versions
from ringscope.rank.foreign import without_foreign
from ringscope_agent import gpus
from ringscope_agent.interfaces import is_virtual
from ringscope_agent.settings import AgentSettings

_DISTRIBUTIONS = ("ringscope", "python", "mpi4py", "numpy", "cupy", "nccl", "torch", "tensorflow")
_INTERNET = (socket.AF_INET, socket.AF_INET6)


def take_inventory(settings: AgentSettings, lacks: list[Lack], machine: Machine | None = None) -> Inventory:
    """Return the inventory of this machine in a few milliseconds; the caller gives ``lacks`` and ``machine``."""
    return Inventory(
        hostname=socket.gethostname(),
        os=_os_name(),
        cpu_model=cpu_model(),
        cores=psutil.cpu_count() or 1,
        memory_bytes=min(psutil.virtual_memory().total, most_bytes() or sys.maxsize),
        gpus=gpus.find_gpus(),
        nics=_nics(settings),
        machine=machine,
        lacks=lacks,
        only_here=is_only_here(settings.reachable_address),
        scripts=settings.scripts is not None,
        allow_env=list(settings.allow_env),
        nccl_ras=settings.nccl_ras,
    )


def find_versions(mpiexec: Path | None) -> dict[str, str]:
    """Return versions by name; what is not installed is left out."""
    installed = installed_versions()
    versions = {name: installed[name] for name in _DISTRIBUTIONS if name in installed} | gpus.find_versions()
    if mpiexec is not None and (mpi := _mpi_version(mpiexec)):
        versions["mpi"] = mpi
    return versions


def _mpi_version(mpiexec: Path) -> str | None:
    """Return the version of MPICH's Hydra; another launcher, such as Open MPI's, counts as no MPI."""
    try:
        answer = subprocess.run(
            [mpiexec, "--version"],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
            stdin=subprocess.DEVNULL,
            env=without_foreign(os.environ),
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


def _nics(settings: AgentSettings) -> list[Nic]:
    """Return the interfaces that are up; the one with the node's address has the speed of the settings."""
    addresses = psutil.net_if_addrs()
    found = [
        Nic(
            name=name,
            speed_mbit_per_s=state.speed or None,
            # A link-local address comes with its interface's name behind a percent sign.
            addresses=[a.address.partition("%")[0] for a in addresses.get(name, []) if a.family in _INTERNET],
            is_virtual=is_virtual(name),
        )
        for name, state in sorted(psutil.net_if_stats().items())
        if state.isup and "loopback" not in state.flags.split(",")
    ]
    if (speed := settings.link_mbit_per_s) is None:
        return found
    address = settings.reachable_address
    own = {address, *addresses_of(address)}
    has_own = any(own & {*nic.addresses} for nic in found)
    return [
        nic.model_copy(update={"speed_mbit_per_s": speed}) if own & {*nic.addresses} or not has_own else nic
        for nic in found
    ]
