"""Checks of what a node needs to run ranks, made before its agent reports that it is ready."""

import os
import resource
from contextlib import suppress
from pathlib import Path
from typing import get_args

from ringscope.contracts.address import is_loopback, parse_address
from ringscope.contracts.errors import UserError
from ringscope.contracts.inventory import Lack
from ringscope.contracts.job import JobKind
from ringscope.contracts.words.units import plural
from ringscope.engine.control_group import free_processes
from ringscope.engine.own_address import addresses_of, is_only_here
from ringscope.rank.room import free_user_processes, shared_memory_fault, socket_room
from ringscope_agent.settings import AgentSettings

# Files of the agent, and of a shim with its mpiexec for each rank: streams, sockets and what Python opens.
_DESCRIPTORS, _DESCRIPTORS_A_RANK = 128, 16
_PROCESSES, _PROCESSES_A_RANK = 32, 8  # threads count, too


def find_lacks(settings: AgentSettings, mpi_fault: str) -> list[Lack]:
    """Return what this node lacks, in a millisecond; ``mpi_fault`` is a sentence on why MPI is missing, if it is."""
    every: list[JobKind] = list(get_args(JobKind))
    found: list[tuple[str, list[JobKind]]] = [
        (mpi_fault, every),
        (_sockets(), every),
        (shared_memory_fault(settings.slots, whole=True), every if shared_memory_fault(1, whole=True) else []),
        (_descriptors(settings.slots), []),
        (_processes(settings.slots), []),
        (_address(settings), []),
        (_scripts(settings.scripts), ["script"]),
    ]
    return [Lack(sentence=sentence, kinds=kinds) for sentence, kinds in found if sentence]


def _sockets() -> str:
    try:
        socket_room()
    except UserError as error:
        return str(error)
    return ""


def _descriptors(slots: int) -> str:
    """Raise the limit of open files as far as allowed, which child processes inherit, and return what is lacking."""
    needed = _DESCRIPTORS + slots * _DESCRIPTORS_A_RANK
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _is_enough(soft, needed):
        return ""
    if _is_enough(hard, needed):
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
            return ""
    return (
        f"It may open {max(soft, 0)} files and {slots} slots need {needed}; raise it with ulimit -n, or lower --slots."
    )


def _is_enough(limit: int, needed: int) -> bool:
    return limit == resource.RLIM_INFINITY or limit >= needed


def _processes(slots: int) -> str:
    needed = _PROCESSES + slots * _PROCESSES_A_RANK
    limits = (
        ("Its control group", free_processes(), "pids.max (docker run --pids-limit)"),
        ("Its user's limit", free_user_processes(), "it with ulimit -u"),
    )
    for who, free, remedy in limits:
        if free is not None and free < needed:
            need = f"{plural(slots, 'slot')} may need {needed}"
            return f"{who} lets it start {free} more processes and {need}; raise {remedy}, or lower --slots."
    return ""


def _address(settings: AgentSettings) -> str:
    address = settings.reachable_address
    if not is_loopback(address) and not addresses_of(address):
        return f"Its address {address} is unknown here; give another with --address, such as its number."
    away = [parse_address(server) for server in settings.server.split(",")]
    if is_only_here(address) and not all(is_loopback(server.host) for server in away):
        return (
            f"Its address {address} means this machine alone, and the server is elsewhere; "
            "give the one that other nodes reach with --address."
        )
    return ""


def _scripts(folder: Path | None) -> str:
    if folder is None or os.access(folder, os.R_OK | os.X_OK):
        return ""
    return (
        f"Its folder of scripts {folder} cannot be read; let the agent's user read it, or name another with --scripts."
    )
