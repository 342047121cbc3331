"""In which order the queue is looked at: priority, then fair share, then age. Pure."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from ringscope_server.placement.snapshot import QueuedJob, RunningGang

_age = attrgetter("queued_at", "id")


def in_order(
    queue: Iterable[QueuedJob], running: Iterable[RunningGang], usage: Mapping[str, float]
) -> Iterator[QueuedJob]:
    """The jobs, first to last.

    Within a priority the user goes next who has had least: decayed usage, and what the running gangs and the jobs
    ahead may use until their time limits. So the jobs of two users alternate, however many one of them has sent.
    """
    had = defaultdict(float, usage)
    for gang in running:
        had[gang.user] += gang.slots * (gang.ends_at - gang.started_at).total_seconds()
    levels: dict[int, list[QueuedJob]] = defaultdict(list)
    for job in queue:
        levels[job.priority].append(job)
    for priority in sorted(levels, reverse=True):
        yield from _fairly(levels[priority], had)


def _fairly(jobs: Sequence[QueuedJob], had: dict[str, float]) -> Iterator[QueuedJob]:
    """One level; ``had`` grows with what each user is given here."""
    lines: dict[str, list[QueuedJob]] = defaultdict(list)
    for job in sorted(jobs, key=_age, reverse=True):
        lines[job.user].append(job)
    turns = [(had[user], _age(line[-1]), user) for user, line in lines.items()]
    heapq.heapify(turns)
    while turns:
        user = turns[0][2]
        line = lines[user]
        job = line.pop()
        yield job
        had[user] += job.placement.ranks * job.time_limit_seconds
        if line:
            heapq.heapreplace(turns, (had[user], _age(line[-1]), user))
        else:
            heapq.heappop(turns)
