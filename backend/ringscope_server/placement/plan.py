"""Which queued job starts now and why the others wait: a pure function of a snapshot, the policy and the time.

EASY backfilling: the first job that cannot start gets a reservation, the earliest time at which it fits if every gang
runs until its time limit. A job behind it starts now only if it ends before that time, or leaves the slots alone that
are reserved.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from ringscope_server.placement import pending
from ringscope_server.placement.cluster import Cluster, Ints
from ringscope_server.placement.demands import Demands
from ringscope_server.placement.level import Level
from ringscope_server.placement.order import in_order
from ringscope_server.placement.pending import Why
from ringscope_server.placement.placement import Counts, Demand, fits, place
from ringscope_server.placement.preemption import victims
from ringscope_server.placement.room import Room
from ringscope_server.placement.snapshot import Policy, QueuedJob, Share, Snapshot
from ringscope_server.placement.stays import Stays
from ringscope_server.placement.timeline import Timeline

ESTIMATED_JOBS = 50  # whose start is estimated; farther back nobody can tell
_FAR_BACK = pending.far_back(ESTIMATED_JOBS)


@dataclass(frozen=True, slots=True)
class Start:
    """A gang to start: all of it, or the job would not be here."""

    job_id: int
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    """Why a job does not start yet, its place in the queue from 1 on, and when it will start if that can be told."""

    job_id: int
    reason: str
    sentence: str
    position: int
    estimated_start: datetime | None


@dataclass(frozen=True, slots=True)
class Preemption:
    """A running job to end so that another one can start."""

    job_id: int
    for_job_id: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What to start, what to tell the rest, and what to end for them."""

    starts: tuple[Start, ...]
    waits: tuple[Wait, ...]
    preemptions: tuple[Preemption, ...] = ()


def plan(snapshot: Snapshot, policy: Policy, now: datetime) -> Plan:
    """Look at the whole queue once, in its order."""
    due = [job for job in snapshot.queue if job.not_before is None or job.not_before <= now]
    planning = _Pass(snapshot, policy, now)
    for job in in_order(due, snapshot.running, snapshot.usage):
        planning.consider(job)
    for job in sorted(snapshot.queue, key=lambda job: (job.not_before or now, job.id)):
        if job.not_before is not None and job.not_before > now:
            planning.waiting.append(_Waiting(job, pending.backoff(job.not_before)))
    return planning.result()


@dataclass(slots=True)
class _Waiting:
    """A job that does not start; with a demand, its start can be estimated."""

    job: QueuedJob
    why: Why | None  # None: it is behind the head, and what is free once all others have started says why
    demand: Demand | None = None


@dataclass(frozen=True, slots=True)
class _Reservation:
    """The head of the queue, when and where it will start, and the slots that it leaves to others from then on."""

    job: QueuedJob
    time: float  # seconds from now
    counts: Counts
    spare: Ints


class _Pass:
    """One look at the queue; every job considered changes what is left for the next one."""

    def __init__(self, snapshot: Snapshot, policy: Policy, now: datetime) -> None:
        self._running, self._policy, self._now = snapshot.running, policy, now
        self._cluster = Cluster(snapshot.nodes)
        self._demands = Demands(self._cluster)
        self._stays = Stays(snapshot.nodes, now)
        self._room = Room(self._cluster, snapshot.running)
        self._timeline = Timeline(self._cluster)
        self._slots_of_user: dict[str, int] = defaultdict(int)
        for gang in snapshot.running:
            left = 0.0 if gang.is_stopping else max(0.0, (gang.ends_at - now).total_seconds())
            self._timeline.hold(gang.job_id, self._cluster.held_by(gang), left, is_exclusive=gang.is_exclusive)
            self._slots_of_user[gang.user] += gang.slots
        self._reservation: _Reservation | None = None
        self._unreserved: Level | None = None
        self._unfitting: set[tuple[Demand, bool]] = set()
        self._starts: list[Start] = []
        self._preemptions: list[Preemption] = []
        self.waiting: list[_Waiting] = []

    def consider(self, job: QueuedJob) -> None:
        """Start it, or keep why it waits."""
        limit = self._policy.max_running_slots_per_user
        if limit and self._slots_of_user[job.user] + job.placement.ranks > limit:
            self.waiting.append(_Waiting(job, pending.user_cap(job, self._slots_of_user[job.user], limit)))
            return
        demand = self._demands.of(job, self._stays.too_short(job.time_limit_seconds))
        counts = self._place_now(job, demand)
        if counts is not None:
            self._start(job, counts)
        elif not self._demands.can_ever_fit(demand):
            self.waiting.append(_Waiting(job, self._why_never(job, demand)))
        elif self._reservation is None:
            self._reserve(job, demand)
        else:
            self.waiting.append(_Waiting(job, None, demand))

    def _place_now(self, job: QueuedJob, demand: Demand) -> Counts | None:
        """Where it can start without delaying the head of the queue. What is free only gets less, so no is for good."""
        reservation = self._reservation
        is_long = reservation is not None and job.time_limit_seconds > reservation.time
        if (demand, False) in self._unfitting or (demand, is_long) in self._unfitting:
            return None
        counts = place(demand, self._left_over() if is_long else self._room.level)
        if counts is None:
            self._unfitting.add((demand, is_long))
        return counts

    def _left_over(self) -> Level:
        """What is free and not reserved."""
        if self._unreserved is None:
            assert self._reservation is not None, "else nothing is kept"
            free = np.minimum(self._room.level.free, self._reservation.spare)
            self._unreserved = Level(free, self._cluster.capacity)
        return self._unreserved

    def _start(self, job: QueuedJob, counts: Counts) -> None:
        exclusive, seconds = job.placement.exclusive, float(job.time_limit_seconds)
        self._starts.append(Start(job.id, self._room.take(counts, is_exclusive=exclusive)))
        self._timeline.hold(job.id, counts, seconds, is_exclusive=exclusive)
        self._slots_of_user[job.user] += job.placement.ranks
        if self._reservation is not None and seconds > self._reservation.time:
            _take(self._reservation.spare, counts, exclusive)
        self._unreserved = None

    def _reserve(self, job: QueuedJob, demand: Demand) -> None:
        """The head of the queue: keep the slots for it that it will have first, or make room for it."""
        why = pending.no_room(demand, self._room.level.free)
        if self._policy.allow_preemption:
            ended = victims(demand, job.priority, self._room.level.free, self._running, self._cluster)
            if ended:
                self._preemptions = [Preemption(gang.job_id, job.id) for gang in ended]
                self._timeline.end_now({gang.job_id for gang in ended})
                why = pending.preempting(len(ended))
        time = self._timeline.earliest(demand, 0.0)
        assert time is not None, "it fits once all others have ended"
        level = self._timeline.free_at(time)
        counts = place(demand, level)
        assert counts is not None, "it fits at that time"
        spare = level.free.copy()
        _take(spare, counts, job.placement.exclusive)
        self._reservation = _Reservation(job, time, counts, spare)
        # Else jobs of its user that start meanwhile could bring the user to the limit.
        self._slots_of_user[job.user] += job.placement.ranks
        self.waiting.append(_Waiting(job, why, demand))

    def _why_never(self, job: QueuedJob, demand: Demand) -> Why:
        missed = self._demands.missed(job.placement, self._stays.too_short(job.time_limit_seconds))
        if missed:
            return pending.leaving(job, missed)
        return pending.never(demand, self._demands.version_skew(demand), self._cluster)

    def _why(self, wait: _Waiting, *, is_far_back: bool) -> Why:
        if wait.why is not None:
            return wait.why
        assert self._reservation is not None and wait.demand is not None
        head = self._reservation.job.id
        if (wait.demand, False) in self._unfitting or not fits(wait.demand, self._room.level):
            self._unfitting.add((wait.demand, False))
            return _FAR_BACK if is_far_back else pending.behind(head)
        return pending.reserved(wait.job, head)

    def result(self) -> Plan:
        """The plan, when every job was considered."""
        estimates = self._estimates()
        waits = [
            Wait(wait.job.id, why.reason, why.sentence, position, estimates.get(wait.job.id))
            for position, wait in enumerate(self.waiting, 1)
            for why in [self._why(wait, is_far_back=position > ESTIMATED_JOBS)]
        ]
        return Plan(tuple(self._starts), tuple(waits), tuple(self._preemptions))

    def _estimates(self) -> dict[int, datetime]:
        """When the first jobs will start if each runs until its time limit and none overtakes from here on."""
        if self._reservation is None:
            return {}
        time, counts = self._reservation.time, self._reservation.counts
        found: dict[int, datetime] = {}
        for wait in [wait for wait in self.waiting if wait.demand is not None][:ESTIMATED_JOBS]:
            if found:
                assert wait.demand is not None
                earliest = self._timeline.earliest(wait.demand, time)
                assert earliest is not None, "it fits once all others have ended"
                time = earliest
                counts = place(wait.demand, self._timeline.free_at(time)) or []
            found[wait.job.id] = self._now + timedelta(seconds=time)
            end = time + wait.job.time_limit_seconds
            self._timeline.hold(wait.job.id, counts, end, is_exclusive=wait.job.placement.exclusive)
        return found


def _take(free: Ints, counts: Counts, is_exclusive: bool) -> None:
    for number, slots in counts:
        free[number] = 0 if is_exclusive else free[number] - slots
