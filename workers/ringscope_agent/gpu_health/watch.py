"""Reads the GPUs at intervals, so that no scrape and no heartbeat waits for NVML."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence

from ringscope.contracts.reading import MOST_GPUS, MOST_XIDS, GpuState, GpuTrouble, SlowReason
from ringscope_agent.gpu_health import faults
from ringscope_agent.gpu_health.states import find_states
from ringscope_agent.gpu_health.xids import XidListener

READ_SECONDS = 10.0
LEAST_HOT_SHARE = 0.01  # a smaller share of a job's time does not change its results
_DISTURBING: frozenset[SlowReason] = frozenset({"too_hot", "hardware_too_hot", "power_brake"})


class GpuWatch:
    """The newest states of this node's GPUs, and what happens to them while jobs run."""

    def __init__(self, on_states: Callable[[Sequence[GpuState]], None] = lambda _: None) -> None:
        self.states: Sequence[GpuState] | None = None  # None until they were read
        self._on_states = on_states
        self._listener = XidListener()
        self._xids: defaultdict[str, list[int]] = defaultdict(list)  # by UUID, since the agent's start
        self._known: set[int] = set()
        self._watchers: set[JobWatch] = set()
        self._reading = asyncio.Lock()

    @property
    def faults(self) -> list[str]:
        """Return what is wrong with the GPUs, each fault as a sentence."""
        states = self.states or []
        return [*faults.lost(self._known, states), *faults.sentences(states)]

    async def run(self, seconds: float, on_faults: Callable[[list[str]], Awaitable[None]]) -> None:
        """Read for ever; call ``on_faults`` whenever the faults have changed."""
        told: list[str] = []
        while True:
            await self.read()
            if (found := self.faults) != told:
                await on_faults(found)
                told = found
            await asyncio.sleep(seconds)

    async def read(self) -> None:
        """Read all GPUs once."""
        async with self._reading:
            states, heard = await asyncio.to_thread(lambda: (find_states()[:MOST_GPUS], self._listener.take()))
            for uuid, xid in heard:
                self._xids[uuid] = [*self._xids[uuid], xid][-MOST_XIDS:]
                for watcher in self._watchers:
                    watcher.xids[uuid].append(xid)
            for state in states:
                state.xids = self._xids.get(state.uuid, [])
                for watcher in self._watchers:
                    watcher.slowed_by[state.index] |= {*(state.slowed_by or ())} & _DISTURBING
            self._known |= {state.index for state in states}
            self.states = states
        self._on_states(states)

    async def begin(self) -> "JobWatch":
        """Watch the GPUs for a job, until ``JobWatch.end``."""
        if not self._watchers:
            await asyncio.to_thread(self._listener.open)
        watcher = JobWatch(self)
        self._watchers.add(watcher)
        await self.read()
        watcher.at_begin = {state.uuid: state for state in self.states or []}
        return watcher

    async def leave(self, watcher: "JobWatch") -> None:
        """End the watch of a job."""
        self._watchers.discard(watcher)
        if not self._watchers:
            await asyncio.to_thread(self._listener.close)


class JobWatch:
    """Watches the GPUs while one job runs."""

    def __init__(self, watch: GpuWatch) -> None:
        self._watch = watch
        self._began = time.monotonic()
        self.at_begin: dict[str, GpuState] = {}
        self.slowed_by: defaultdict[int, set[SlowReason]] = defaultdict(set)
        self.xids: defaultdict[str, list[int]] = defaultdict(list)

    async def end(self, uuids: Sequence[str] = ()) -> list[GpuTrouble]:
        """Return what happened, of these GPUs or of all; a second call returns nothing."""
        await self._watch.read()
        await self._watch.leave(self)
        seconds = time.monotonic() - self._began
        mine = {*uuids} & {*self.at_begin} or {*self.at_begin}  # a slice (MIG) has a UUID of its own
        found = [self._trouble(state, seconds) for state in self._watch.states or [] if state.uuid in mine]
        self.at_begin = {}
        return [trouble for trouble in found if trouble.slowed_by or trouble.xids]

    def _trouble(self, state: GpuState, seconds: float) -> GpuTrouble:
        before, after = self.at_begin[state.uuid].hot_seconds, state.hot_seconds
        hot_seconds = max(0.0, after - before) if before is not None and after is not None else None
        slowed_by = self.slowed_by[state.index]
        if hot_seconds is not None and hot_seconds < LEAST_HOT_SHARE * seconds:
            slowed_by = slowed_by - {"too_hot", "hardware_too_hot"}
        elif hot_seconds is not None and not slowed_by & {"too_hot", "hardware_too_hot"}:
            slowed_by = slowed_by | {"too_hot"}
        return GpuTrouble(
            gpu=state.index,
            hot_seconds=hot_seconds,
            slowed_by=sorted(slowed_by),
            xids=self.xids[state.uuid][-MOST_XIDS:],
        )
