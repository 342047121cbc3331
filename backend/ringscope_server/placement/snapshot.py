"""The input of a plan: nodes, running gangs, the queue and the policy. Nothing here depends on a table."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ringscope.contracts.job import JobSpec, Placement, StoredKind
from ringscope_server.settings import Settings


class WorkPlacement(Placement):
    """A placement with the kind of its job, because not every node runs every kind.

    ``ranks`` are those that the job needs in order to start; an elastic one gets up to ``most_ranks`` if they are free.
    ``own_nodes`` are the names of nodes that count as quiet, because the job itself has just run there. ``env`` are the
    names of the job's environment variables, all of which a node must take.
    """

    kind: StoredKind = "benchmark"
    most_ranks: int = 0
    own_nodes: frozenset[str] = frozenset()
    env: tuple[str, ...] = ()

    @classmethod
    def of(cls, spec: JobSpec) -> "WorkPlacement":
        """Return the placement of a specification."""
        return cls.for_kind(spec.placement, spec.kind, tuple(spec.env))

    @classmethod
    def for_kind(cls, placement: Placement, kind: StoredKind, env: tuple[str, ...] = ()) -> "WorkPlacement":
        """Return the same placement for jobs of a kind that set these environment variables."""
        fields = dict(placement) | {"ranks": placement.min_ranks or placement.ranks}
        return cls.model_construct(**fields, kind=kind, most_ranks=placement.ranks, env=env)

    def with_ranks(self, ranks: int) -> "WorkPlacement":
        """Return the placement of a gang of so many ranks."""
        return self.model_copy(update={"ranks": ranks})

    def after_running_on(self, nodes: frozenset[str]) -> "WorkPlacement":
        """Return the placement of the next attempt of a job whose last one has just ended on these nodes."""
        return self.model_copy(update={"own_nodes": nodes}) if self.quiet else self


def names_in(env: str | None) -> tuple[str, ...]:
    """Return the names of a stored job's environment variables, given as JSON; None: the job sets none."""
    return tuple(json.loads(env)) if env else ()


@dataclass(frozen=True, slots=True)
class NodeState:
    """A node that may be given work, and everything about it that a placement can ask for."""

    id: int
    name: str
    slots: tuple[int, ...]  # usable slots, without quarantined ones
    labels: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    gpu_models: tuple[str, ...] = ()
    gpu_memory_bytes: int = 0  # memory of the smallest GPU
    memory_bytes: int = 0
    cores: int = 0
    is_quiet: bool = True  # no other load keeps its cores busy, as far as it is known
    quarantined: frozenset[int] = frozenset()  # slots that were not proven free
    only_on: str = ""  # its address is a loopback one of this machine, so that no other machine reaches it
    address: str = ""  # its peers connect to it; a gang uses one node of each address, "" stands for any
    unfit_for: frozenset[str] = frozenset()  # kinds of jobs that it cannot run, as it lacks something
    allow_env: tuple[str, ...] = ()  # patterns of the environment variables that jobs may set on it
    free_by: datetime | None = None  # its batch system takes it back: what runs there must have ended by then

    @property
    def rack(self) -> str | None:
        """The label rack."""
        return self.labels.get("rack")


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a gang on one node: which of its slots."""

    node_id: int
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RunningGang:
    """A gang that holds slots, and when it will give them back at the latest.

    One that is over only blocks slots, until they are proven free: its user has been charged for it, and may be at the
    job's next attempt.
    """

    job_id: int
    user: str
    priority: int
    shares: tuple[Share, ...]
    started_at: datetime
    ends_at: datetime
    is_exclusive: bool = False
    is_stopping: bool = False
    is_over: bool = False

    @property
    def slots(self) -> int:
        """The number of slots that it holds."""
        return sum(len(share.slots) for share in self.shares)


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job that waits."""

    id: int
    placement: Placement
    user: str
    priority: int
    queued_at: datetime
    time_limit_seconds: int
    queue_timeout_seconds: int | None = None
    not_before: datetime | None = None
    excluded_nodes: frozenset[str] = frozenset()  # names; a wish, not a condition
    near: frozenset[str] = frozenset()  # names, where its checkpoints are; a wish among equals
    # The next attempt of an elastic job has at most so many ranks: fewer than it asks for after a rank was killed.
    most_ranks: int | None = None
    continues: bool = False  # a lost rank or more slots have ended its last attempt: it goes first in its priority

    def is_overdue(self, now: datetime) -> bool:
        """Return whether it has waited longer than its queue timeout."""
        seconds = self.queue_timeout_seconds
        return seconds is not None and now - self.queued_at > timedelta(seconds=seconds)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The cluster at one moment.

    ``usage`` is each user's decayed slot-seconds. ``rates`` are the measured bandwidths in GB/s by the names of two
    nodes; they are read only if a job asks for the fastest links.
    """

    nodes: tuple[NodeState, ...]
    running: tuple[RunningGang, ...]
    queue: tuple[QueuedJob, ...]
    usage: Mapping[str, float] = field(default_factory=dict)
    rates: Mapping[frozenset[str], float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Policy:
    """The operator's decisions on the order of jobs."""

    fair_share_half_life_hours: float = 168.0
    allow_preemption: bool = False
    max_running_slots_per_user: int = 0  # 0: no limit
    most_other_load_percent: float = 10.0

    @classmethod
    def of(cls, settings: Settings) -> "Policy":
        """The part of the settings that the scheduler follows."""
        return cls(
            fair_share_half_life_hours=settings.fair_share_half_life_hours,
            allow_preemption=settings.allow_preemption,
            max_running_slots_per_user=settings.max_running_slots_per_user,
            most_other_load_percent=settings.most_other_load_percent,
        )
