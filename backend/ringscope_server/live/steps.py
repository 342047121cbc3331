"""Steps for the live stream: counted until they are told, as many at a time as a screen can show."""

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from ringscope_server.results.newest_steps import shown
from ringscope_server.results.step_blocks import StepBlock, StepKind, joined
from ringscope_server.results.views import NewestSteps


@dataclass
class _Tally:
    """Of one attempt: for each rank its steps of the size that it is at, the kind that came last at the end.

    Kinds take turns while a size is timed, so that each is counted on when its turn comes again.
    """

    attempt_id: int
    ranks: dict[int, dict[StepKind, StepBlock]] = field(default_factory=dict)

    def add(self, block: StepBlock) -> None:
        kinds = self.ranks.setdefault(block.rank, {})
        if any(kind.bytes != block.kind.bytes for kind in kinds):
            kinds.clear()
        before = kinds.get(block.kind)
        if before is not None and block.last_step <= before.last_step:
            return  # another server's notice came twice
        kinds.pop(block.kind, None)
        kinds[block.kind] = block if before is None else joined(before, block)

    def newest(self) -> list[StepBlock]:
        return [[*kinds.values()][-1] for kinds in self.ranks.values()]


class LiveSteps:
    """What the ranks of the jobs that somebody watches are at. All of it is told, but not each step by itself."""

    def __init__(self) -> None:
        self._jobs: dict[int, _Tally] = {}
        self._untold: set[int] = set()
        self._filled = asyncio.Event()

    def note(self, job_id: int, attempt_id: int, blocks: Iterable[StepBlock]) -> None:
        """Steps came, those of a rank in their order; what an earlier attempt tells late is passed over."""
        tally = self._jobs.get(job_id)
        if tally is None or tally.attempt_id < attempt_id:
            tally = self._jobs[job_id] = _Tally(attempt_id)
        if tally.attempt_id > attempt_id:
            return
        for block in blocks:
            tally.add(block)
        self._untold.add(job_id)
        self._filled.set()

    async def filled(self) -> None:
        """Wait until there is something to tell."""
        await self._filled.wait()

    def take(self, job_ids: Collection[int] | None = None) -> list[NewestSteps]:
        """Of all jobs, or of these: what has changed since it was taken last, as it now stands."""
        taken = sorted(self._untold if job_ids is None else self._untold.intersection(job_ids))
        self._untold.difference_update(taken)
        if not self._untold:
            self._filled.clear()
        return [shown(job_id, self._jobs[job_id].attempt_id, self._jobs[job_id].newest()) for job_id in taken]

    def forget(self, job_ids: Iterable[int]) -> None:
        """These jobs are over, or nobody watches them any more."""
        for job_id in job_ids:
            self._jobs.pop(job_id, None)
            self._untold.discard(job_id)

    def forget_all_but(self, job_ids: Collection[int]) -> None:
        """Only these jobs are watched."""
        self.forget([job_id for job_id in self._jobs if job_id not in job_ids])
