"""Steps for the live stream: counted until they are sent, as many at a time as a screen can show."""

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from ringscope_server.results.newest_steps import shown
from ringscope_server.results.step_blocks import StepBlock, StepKind, joined
from ringscope_server.results.views import NewestSteps


@dataclass
class _Tally:
    """The steps of one attempt: for each rank those of its present size, the newest kind last.

    Kinds take turns while a size is timed, so each is counted further when its turn comes again.
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
    """The newest steps of the watched jobs' ranks. All are counted, but they are not sent one by one."""

    def __init__(self) -> None:
        self._jobs: dict[int, _Tally] = {}
        self._untold: set[int] = set()
        self._filled = asyncio.Event()

    def note(self, job_id: int, attempt_id: int, blocks: Iterable[StepBlock]) -> None:
        """Add new steps, a rank's in order; late reports of an earlier attempt are ignored."""
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
        """Wait until there is something to send."""
        await self._filled.wait()

    def take(self, job_ids: Collection[int] | None = None) -> list[NewestSteps]:
        """Return what has changed since the last call, for all jobs or for these."""
        taken = sorted(self._untold if job_ids is None else self._untold.intersection(job_ids))
        self._untold.difference_update(taken)
        if not self._untold:
            self._filled.clear()
        return [shown(job_id, self._jobs[job_id].attempt_id, self._jobs[job_id].newest()) for job_id in taken]

    def forget(self, job_ids: Iterable[int]) -> None:
        """Forget jobs that are over or no longer watched."""
        for job_id in job_ids:
            self._jobs.pop(job_id, None)
            self._untold.discard(job_id)

    def forget_all_but(self, job_ids: Collection[int]) -> None:
        """Forget all jobs but the watched ones."""
        self.forget([job_id for job_id in self._jobs if job_id not in job_ids])
