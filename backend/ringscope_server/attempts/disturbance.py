"""Disturbances of a gang's nodes during a measurement: other jobs' ranks, other load, GPUs that were slowed, few cores.

A disturbed result stays as it was measured and is marked; but it counts for no best value, for no expected value, and
not for the choices of ``auto``.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import Load
from ringscope.contracts.reading import SlowReason
from ringscope.contracts.words.machine import Machine
from ringscope.contracts.words.units import plural
from ringscope_server.db.models import Allocation, Attempt, Member, Node
from ringscope_server.db.models.jobs import IS_HELD
from ringscope_server.db.specs import valid_spec

_MOST_NAMED = 3


async def neighbours(session: AsyncSession, spec: JobSpec, node_ids: Iterable[int]) -> str | None:
    """Return a sentence on the jobs that hold slots on nodes where a job is about to start; None if there are none or
    the job does not measure.
    """
    if not _measures(spec) or spec.placement.exclusive:
        return None
    found = await session.execute(
        select(Node.name, Attempt.job_id)
        .select_from(Allocation)
        .join(Attempt, Attempt.id == Allocation.attempt_id)
        .join(Node, Node.id == Allocation.node_id)
        .where(IS_HELD, Allocation.node_id.in_(list(node_ids)))
        .distinct()
        .order_by(Node.name, Attempt.job_id)
    )
    return _shared([(name, job_id) for name, job_id in found])


async def note(session: AsyncSession, attempt: Attempt, most_other_percent: float) -> None:
    """Note what is known to have disturbed an attempt, with job, members and nodes loaded; the first finding stays.

    It is called whenever a node has reported that its ranks ended.
    """
    spec = valid_spec(attempt.job)
    if spec is None or not _measures(spec):
        return
    if attempt.disturbed_by is None:
        attempt.disturbed_by = (
            await _newcomers(session, attempt) or _overloaded(attempt, most_other_percent) or _slowed(attempt)
        )


def _measures(spec: JobSpec) -> bool:
    """Return whether the job's times are measured and compared with those of other jobs: a simulation's are the same
    anywhere, and a diagnosis judges each pair by itself.
    """
    return spec.diagnosis is None and not spec.is_simulated


def note_cores(attempt: Attempt) -> None:
    """Note how many cores the ranks of an attempt have that begins to run, with job, members and nodes loaded.

    A benchmark's rows say it.
    """
    spec = valid_spec(attempt.job)
    if spec is None or spec.benchmark is not None or not _measures(spec):
        return
    cores = None if _may_use_gpus(spec, attempt) else _cores(attempt)
    attempt.job.summary = attempt.job.summary | {"ranks": attempt.job.ranks, "cores": cores}


def _may_use_gpus(spec: JobSpec, attempt: Attempt) -> bool:
    work = spec.training or spec.script
    is_on_cpus = work is not None and work.device == "cpu"
    return not is_on_cpus and any(member.node.inventory.get("gpus") for member in attempt.members)


def _cores(attempt: Attempt) -> int | None:
    """Return the physical cores that the ranks can use at once; None if a node has not measured them."""
    cores = 0
    for member in attempt.members:
        told = member.node.inventory.get("machine")
        if told is None:
            return None
        cores += min(member.slots, Machine.model_validate(told).cores or member.slots)
    return cores


async def _newcomers(session: AsyncSession, attempt: Attempt) -> str | None:
    """Return the jobs that started on its nodes before its ranks had ended."""
    ends = [member.ended_at for member in attempt.members if member.ended_at is not None]
    if not ends:
        return None
    found = await session.execute(
        select(Node.name, Attempt.job_id)
        .select_from(Member)
        .join(Attempt, Attempt.id == Member.attempt_id)
        .join(Node, Node.id == Member.node_id)
        .where(
            Member.attempt_id > attempt.id,
            Member.node_id.in_([member.node_id for member in attempt.members]),
            Attempt.job_id != attempt.job_id,
            Attempt.created_at < max(ends),
        )
        .order_by(Node.name, Attempt.job_id)
    )
    return _shared([(name, job_id) for name, job_id in found])


def _shared(found: Sequence[tuple[str, int]]) -> str | None:
    if not found:
        return None
    nodes, jobs = (list(dict.fromkeys(column)) for column in zip(*found, strict=True))
    return f"It shared {_listed('node', nodes)} with {_listed('job', jobs)}."


def _listed(noun: str, names: Sequence[object]) -> str:
    """ "node n1", "jobs 2, 3, 4 and 5 more"."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{noun if len(names) == 1 else f'{noun}s'} {', '.join(map(str, names[:_MOST_NAMED]))}{more}"


class Other(NamedTuple):
    """The load of other processes on a machine."""

    nodes: list[str]  # the nodes that are this machine
    percent: float  # percent of its processors

    @property
    def machine(self) -> str:
        """ "node n1", or the nodes that share the machine: none of them is to blame more than another one."""
        if len(self.nodes) == 1:
            return f"node {self.nodes[0]}"
        return f"the machine that {_listed('node', self.nodes)} share"


def other_loads(loads: Iterable[tuple[str, Load]]) -> list[Other]:
    """Return the load of other processes on each machine, from the nodes' names and reports. Pure.

    Nodes on one machine saw the same busy processors; each knows only its own ranks' share of them.
    """
    machines: defaultdict[str, list[tuple[str, Load]]] = defaultdict(list)
    for name, load in loads:
        machines[load.machine or f"node {name}"].append((name, load))
    return [_other(here) for here in machines.values()]


def _other(here: Sequence[tuple[str, Load]]) -> Other:
    longest = max((load for _, load in here), key=lambda load: load.seconds)
    others_seconds = longest.busy_seconds - sum(load.own_seconds for _, load in here)
    whole_seconds = longest.seconds * longest.processors
    nodes = list(dict.fromkeys(name for name, _ in here))
    return Other(nodes, max(0.0, 100 * others_seconds / whole_seconds) if whole_seconds else 0.0)


def _overloaded(attempt: Attempt, most_percent: float) -> str | None:
    """Judge the load once every node has reported its ranks: until then they are other load to a node of the same
    machine.

    If a node never reports, because it was lost or had to stop, the attempt did not succeed and is not compared.
    """
    if any(member.ended_at is None for member in attempt.members):
        return None
    told = _loads(attempt)
    worst = max(other_loads(told), key=lambda other: other.percent, default=None)
    if worst is None or worst.percent <= most_percent:
        return None
    return f"Other load took {worst.percent:.0f} % of the processors of {worst.machine}."


_REASONS: dict[SlowReason, str] = {
    "hardware_too_hot": "it was too hot",
    "too_hot": "it was too hot",
    "power_brake": "its power supply asked for it",
}


def _slowed(attempt: Attempt) -> str | None:
    """Return what happened to the first GPU that was slowed, or whose driver reported an error."""
    found = [(name, load, gpu) for name, load in _loads(attempt) for gpu in load.gpus]
    if not found:
        return None
    name, load, gpu = found[0]
    where = f"GPU {gpu.gpu} of node {name}"
    others = f" So did {plural(len(found) - 1, 'other GPU')}." if len(found) > 1 else ""
    for reason, words in _REASONS.items():
        if reason in gpu.slowed_by:
            hot = gpu.hot_seconds if "hot" in reason else None
            span = f" for {hot:.3g} of {load.seconds:.3g} s" if hot else ""
            return f"{where} lowered its clock{span} because {words}.{others}"
    if gpu.xids:
        return f"The driver of {where} reported XID {gpu.xids[0]}."
    return None


def _loads(attempt: Attempt) -> list[tuple[str, Load]]:
    return [(member.node.name, Load.model_validate(member.load)) for member in attempt.members if member.load]
