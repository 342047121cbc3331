"""Checks whether this node can take its part of a gang."""

import importlib.util
from collections.abc import Mapping

from ringscope.contracts.environment import takes
from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import Assignment
from ringscope.contracts.training import libraries
from ringscope.rank.room import shared_memory_fault
from ringscope_agent import gpus, process_group
from ringscope_agent.launch.programs import MpiPrograms
from ringscope_agent.settings import AgentSettings


def find_obstacle(
    assignment: Assignment,
    settings: AgentSettings,
    programs: MpiPrograms | str,
    slots_held: Mapping[int, int],
    tokens: set[str],
) -> str:
    """Return why this node cannot take the assignment; empty if it can.

    Args:
        slots_held: the slots of other attempts, by their id.
        tokens: of all attempts that the agent knows, this one too.
    """
    if isinstance(programs, str):
        return f"Node {settings.name}: {programs}"
    obstacle = _slots(assignment, settings, slots_held) or _strangers(settings, tokens) or _room(assignment, settings)
    if not obstacle and may_use_gpus(assignment.spec):
        obstacle = _gpu_users(settings, tokens)
    return obstacle or _lacking(assignment, settings)


def may_use_gpus(spec: JobSpec) -> bool:
    """Return whether ranks of this job may use GPUs; an open device is one of the node's GPUs, if it has any."""
    return not spec.is_simulated and spec.settled_device != "cpu"


def _lacking(assignment: Assignment, settings: AgentSettings) -> str:
    """Return what the job needs and this node does not have."""
    spec = assignment.spec
    training = spec.strategy_search.training() if spec.strategy_search else spec.training
    if training is not None:
        for library, extra in libraries(training.strategy).items():
            if importlib.util.find_spec(library) is None:  # looked for, not imported: that takes seconds
                needing = training.strategy if spec.training else "a search"
                return (
                    f"Node {settings.name} has no {library}, which {needing} needs; install ringscope[{extra}] there."
                )
    for name in spec.env:
        if not takes(settings.allow_env, name):
            return f"Node {settings.name} does not take the variable {name}; start its agent with --allow-env {name}."
    for file in spec.own_files.values():
        if settings.scripts is None:
            return f"Node {settings.name} runs no scripts; start its agent with --scripts DIR."
        if not (settings.scripts / file).is_file():
            return f"Node {settings.name} has no file {file} in {settings.scripts}; put it there."
    return ""


def _room(assignment: Assignment, settings: AgentSettings) -> str:
    """Return why the shared memory is too small for the ranks now; other programs may fill it at any time."""
    if assignment.spec.is_simulated:
        return ""
    fault = shared_memory_fault(assignment.gang[assignment.member].slots)
    return f"Node {settings.name}: {fault}" if fault else ""


def _slots(assignment: Assignment, settings: AgentSettings, held: Mapping[int, int]) -> str:
    wanted = assignment.gang[assignment.member].slots
    free = settings.slots - sum(held.values())
    if wanted <= free:
        return ""
    return (
        f"Node {settings.name} has {free} of {settings.slots} slots free and {wanted} are asked for; "
        f"attempts {sorted(held)} hold the others."
    )


def _strangers(settings: AgentSettings, tokens: set[str]) -> str:
    """Return processes of attempts unknown to this agent, as after its data directory was emptied."""
    homes = process_group.carriers(process_group.HOME_VARIABLE)
    found = [
        pid
        for pid, token in process_group.carriers().items()
        if token not in tokens and homes.get(pid) == str(settings.data_dir)
    ]
    if not found:
        return ""
    return f"Node {settings.name} still runs processes of an earlier attempt: {found}; end them by hand."


def _gpu_users(settings: AgentSettings, tokens: set[str]) -> str:
    """Return processes on the GPUs that belong to no attempt of this agent: they would disturb a measurement."""
    if not (users := gpus.find_processes()):
        return ""
    ours = {pid for pid, token in process_group.carriers().items() if token in tokens}
    found = [f"process {user.pid} on GPU {user.gpu}" for user in users if user.pid not in ours]
    if not found:
        return ""
    return f"The GPUs of node {settings.name} are in use by others: {', '.join(found)}; end them, or drain the node."
