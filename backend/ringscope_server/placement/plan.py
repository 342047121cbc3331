"""Scheduling: which queued job starts now and why the others wait, as a pure function of snapshot, policy and time.

EASY backfilling: the first job that cannot start gets a reservation, the earliest time at which it fits if every gang
runs until its time limit. A job behind it starts now only if it ends before that time, or does not use the reserved
slots.
"""

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple

import numpy as np

from ringscope_server.placement import pending
from ringscope_server.placement.cluster import Cluster, Ints
from ringscope_server.placement.demands import Demands
from ringscope_server.placement.elastic import grown, most_ranks
from ringscope_server.placement.fastest import explained
from ringscope_server.placement.lifetimes import Lifetimes
from ringscope_server.placement.order import in_order
from ringscope_server.placement.pending import Why
from ringscope_server.placement.placement import Counts, Demand, fits, place
from ringscope_server.placement.preemption import victims
from ringscope_server.placement.room import Room
from ringscope_server.placement.slot_index import SlotIndex
from ringscope_server.placement.snapshot import Policy, QueuedJob, Share, Snapshot, WorkPlacement
from ringscope_server.placement.timeline import Timeline

ESTIMATED_JOBS = 50  # jobs whose start is estimated; a later start cannot be predicted
_FAR_BACK = pending.far_back(ESTIMATED_JOBS)


@dataclass(frozen=True, slots=True)
class Start:
    """A gang to start: all of it, or the job would not be here.

    ``reason`` is a sentence on why it gets these nodes, empty unless their links decided it.
    """

    job_id: int
    shares: tuple[Share, ...]
    reason: str = ""


class Wait(NamedTuple):
    """The reason for which a job does not start yet, its position from 1, and its expected start if known."""

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
    """The jobs to start, the reasons of the rest, and the jobs to end for them."""

    starts: tuple[Start, ...]
    waits: tuple[Wait, ...]
    preemptions: tuple[Preemption, ...] = ()


def plan(snapshot: Snapshot, policy: Policy, now: datetime) -> Plan:
    """Look at the whole queue once, in its order."""
    due = [job for job in snapshot.queue if job.not_before is None or job.not_before <= now]
    planning = _Pass(snapshot, policy, now)
    for job in in_order(due, snapshot.running, snapshot.usage):
        planning.consider(job)
    retries = [(job.not_before, job.id, job) for job in snapshot.queue if job.not_before and job.not_before > now]
    for not_before, _, job in sorted(retries):
        planning.waiting.append((job, _Waiting(job, pending.backoff(not_before))))
    return planning.result()


@dataclass(slots=True, eq=False)
class _Waiting:
    """The reason of a job and of equal ones; with a demand, their start can be estimated, each without the nodes it
    avoids.
    """

    job: QueuedJob
    why: Why | None  # None: they are behind the head, and what is free once all others have started says why
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
        self._cluster = Cluster.of(snapshot.nodes)
        self._rates = snapshot.rates
        self._demands = Demands(self._cluster, snapshot.rates)
        self._stays = Lifetimes(snapshot.nodes, now)
        self._room = Room(self._cluster, snapshot.running)
        self._timeline = Timeline(self._cluster)
        self._slots_of_user: dict[str, int] = defaultdict(int)
        for gang in snapshot.running:
            left = 0.0 if gang.is_stopping else max(0.0, (gang.ends_at - now).total_seconds())
            self._timeline.hold(gang.job_id, self._cluster.held_by(gang), left)
            self._slots_of_user[gang.user] += 0 if gang.is_over else gang.slots
        self._reservation: _Reservation | None = None
        self._unreserved: SlotIndex | None = None
        self._unfitting: set[tuple[Demand, bool]] = set()
        self._starts: list[Start] = []
        self._preemptions: list[Preemption] = []
        self._alike: dict[tuple[object, ...], _Waiting] = {}
        self.waiting: list[tuple[QueuedJob, _Waiting]] = []

    def consider(self, job: QueuedJob) -> None:
        """Start a job, or store why it waits."""
        limit = self._policy.max_running_slots_per_user
        if limit and self._slots_of_user[job.user] + job.placement.ranks > limit:
            self.waiting.append((job, _Waiting(job, pending.user_cap(job, self._slots_of_user[job.user], limit))))
            return
        # What is free only gets less: what keeps one back keeps back those like it. Equal jobs share a placement.
        kind = (id(job.placement), job.time_limit_seconds, job.excluded_nodes, job.near)
        if (alike := self._alike.get(kind)) is not None:
            self.waiting.append((job, alike))
            return
        if job.excluded_nodes and self._reservation is not None and not self._fits_now(anywhere := self._anywhere(job)):
            # It avoids nodes, and waits even with them, as those like it that avoid none.
            alike = self._alike[kind] = self._behind(job, anywhere)
            self.waiting.append((job, alike))
            return
        demand = self._demand(job)
        counts = self._place_now(job, demand)
        if counts is not None:
            self._start(job, demand, counts)
        elif self._reservation is None and self._demands.can_ever_fit(demand):
            self._reserve(job, demand)
        else:
            alike = self._alike[kind] = self._behind(job, demand)
            self.waiting.append((job, alike))

    def _demand(self, job: QueuedJob) -> Demand:
        return self._demands.of(job, self._stays.too_short(job.time_limit_seconds))

    def _anywhere(self, job: QueuedJob) -> Demand:
        """Return the demand without the avoided nodes."""
        return self._demands.anywhere(job.placement, self._stays.too_short(job.time_limit_seconds), job.near)

    def _fits_now(self, demand: Demand) -> bool:
        """Return whether it fits into the free slots, reserved or not. Free slots only decrease, so a no is final."""
        if (demand, False) in self._unfitting:
            return False
        if not fits(demand, self._room.level):
            self._unfitting.add((demand, False))
            return False
        return True

    def _place_now(self, job: QueuedJob, demand: Demand) -> Counts | None:
        """Place a job without delaying the head of the queue. Free slots only decrease, so a no is final."""
        reservation = self._reservation
        is_long = reservation is not None and job.time_limit_seconds > reservation.time
        if (demand, False) in self._unfitting or (demand, is_long) in self._unfitting:
            return None
        counts = place(demand, self._left_over() if is_long else self._room.level)
        if counts is None:
            self._unfitting.add((demand, is_long))
        return counts

    def _with_ranks(self, job: QueuedJob, ranks: int) -> tuple[QueuedJob, Demand]:
        """Return the same job, and its demand, with so many ranks."""
        assert isinstance(job.placement, WorkPlacement), "only a work placement tells how many ranks it may get"
        larger = replace(job, placement=job.placement.with_ranks(ranks))
        return larger, self._demand(larger)

    def _why_here(self, demand: Demand, counts: Counts) -> str:
        if demand.placement.arrangement != "fastest":
            return ""
        room = self._room.level.room(demand.groups, demand.placement.exclusive)
        least = min(slots for _, slots in counts)
        free = {self._cluster.nodes[number].name for number in demand.groups.node[room >= least].tolist()}
        nodes = [self._cluster.nodes[number].name for number, _ in counts]
        return explained(nodes, sorted(free.union(nodes)), self._rates).sentence

    def _left_over(self) -> SlotIndex:
        """The slots that are free and not reserved."""
        if self._unreserved is None:
            assert self._reservation is not None, "else nothing is kept"
            free = np.minimum(self._room.level.free, self._reservation.spare)
            self._unreserved = SlotIndex(free, self._cluster.capacity)
        return self._unreserved

    def _start(self, job: QueuedJob, demand: Demand, counts: Counts) -> None:
        if (most := job.most_ranks or most_ranks(job.placement)) > job.placement.ranks:
            if limit := self._policy.max_running_slots_per_user:
                most = min(most, limit - self._slots_of_user[job.user])
            counts = grown(lambda ranks: self._place_now(*self._with_ranks(job, ranks)), counts, most)
        exclusive, seconds = job.placement.exclusive, float(job.time_limit_seconds)
        reason = self._why_here(demand, counts)
        self._starts.append(Start(job.id, self._room.take(counts, is_exclusive=exclusive), reason))
        self._timeline.hold(job.id, counts, seconds, is_exclusive=exclusive)
        self._slots_of_user[job.user] += sum(slots for _, slots in counts)
        if self._reservation is not None and seconds > self._reservation.time:
            _take(self._reservation.spare, counts, exclusive)
        self._unreserved = None

    def _reserve(self, job: QueuedJob, demand: Demand) -> None:
        """Reserve for the head of the queue the slots that it will have first, or preempt for it."""
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
        self.waiting.append((job, _Waiting(job, why, demand)))

    def _behind(self, job: QueuedJob, demand: Demand) -> _Waiting:
        if self._demands.can_ever_fit(demand):
            return _Waiting(job, None, demand)
        return _Waiting(job, self._why_never(job, demand))

    def _why_never(self, job: QueuedJob, demand: Demand) -> Why:
        missed = self._demands.missed(job.placement, self._stays.too_short(job.time_limit_seconds))
        if missed:
            return pending.leaving(job, missed)
        demands = self._demands
        if loaded := demands.loaded(job.placement):
            return pending.not_quiet(loaded)
        return pending.never(demand, demands.version_skew(demand), demands.same_address(demand), self._cluster)

    def _why_behind(self, waiting: _Waiting, behind: Why) -> Why:
        assert self._reservation is not None and waiting.demand is not None
        if not self._fits_now(waiting.demand):
            return behind
        return pending.reserved(waiting.job, self._reservation.job.id)

    def result(self) -> Plan:
        """Return the plan once every job was considered."""
        estimates = self._estimates()
        behind = pending.behind(self._reservation.job.id) if self._reservation else _FAR_BACK
        for waiting in self._alike.values():
            if waiting.why is None:
                waiting.why = self._why_behind(waiting, behind)
        waits: list[Wait] = []
        for position, (job, waiting) in enumerate(self.waiting, 1):
            assert waiting.why is not None, "each has one by now"
            why = _FAR_BACK if waiting.why is behind and position > ESTIMATED_JOBS else waiting.why
            waits.append(Wait(job.id, why.reason, why.sentence, position, estimates.get(job.id)))
        return Plan(tuple(self._starts), tuple(waits), tuple(self._preemptions))

    def _estimates(self) -> dict[int, datetime]:
        """Estimate when the first jobs will start if each runs until its time limit and none overtakes from here on."""
        if self._reservation is None:
            return {}
        time, counts = self._reservation.time, self._reservation.counts
        found: dict[int, datetime] = {}
        estimated = ((job, waiting.demand) for job, waiting in self.waiting if waiting.demand is not None)
        for job, shared in islice(estimated, ESTIMATED_JOBS):
            demand = self._demand(job) if job.excluded_nodes else shared
            if found:
                earliest = self._timeline.earliest(demand, time)
                assert earliest is not None, "it fits once all others have ended"
                time = earliest
                counts = place(demand, self._timeline.free_at(time)) or []
            found[job.id] = self._now + timedelta(seconds=time)
            end = time + job.time_limit_seconds
            self._timeline.hold(job.id, counts, end, is_exclusive=job.placement.exclusive)
        return found


def _take(free: Ints, counts: Counts, is_exclusive: bool) -> None:
    for number, slots in counts:
        free[number] = 0 if is_exclusive else free[number] - slots
