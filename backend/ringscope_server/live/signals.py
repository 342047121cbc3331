"""Wake-ups inside this process: an agent's poll when its assignments change, the scheduler when work may start."""

import asyncio
import secrets
from collections import defaultdict
from contextlib import suppress

REVISION_BITS = 60


class Signals:
    """Revisions per node, and a wake-up for the scheduler. A lost signal does no harm: both also look at intervals."""

    def __init__(self) -> None:
        # A revision of another server, or of this one before a restart, must never equal one here.
        self._start = secrets.randbits(REVISION_BITS)
        self._revisions: dict[int, int] = defaultdict(lambda: self._start)
        self._changed: dict[int, asyncio.Event] = defaultdict(asyncio.Event)
        self._scheduler = asyncio.Event()
        self.is_closing = False

    def revision(self, node_id: int) -> int:
        """Return the number of this node's newest assignments."""
        return self._revisions[node_id]

    def assignments_changed(self, node_id: int) -> None:
        """Call after the commit that changed a node's assignments."""
        self._revisions[node_id] += 1
        self._changed.pop(node_id, asyncio.Event()).set()

    def everything_changed(self) -> None:
        """Note that every node's assignments may have changed."""
        for node_id in [*self._revisions]:
            self.assignments_changed(node_id)

    async def wait_for_assignments(self, node_id: int, seen: int, seconds: float) -> None:
        """Return when the revision differs from ``seen``, or after ``seconds``."""
        if self._revisions[node_id] == seen and not self.is_closing:
            await _wait(self._changed[node_id], seconds)

    def wake_scheduler(self) -> None:
        """Call after a commit that may let a job start."""
        self._scheduler.set()

    async def wait_for_work(self, seconds: float) -> None:
        """Return when the scheduler has something to look at, or after ``seconds``."""
        await _wait(self._scheduler, seconds)
        self._scheduler.clear()

    def close(self) -> None:
        """End every waiting poll, because the server stops."""
        self.is_closing = True
        for event in self._changed.values():
            event.set()
        self._scheduler.set()


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
