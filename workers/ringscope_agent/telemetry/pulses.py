"""Pulses: twice a second, the progress of each rank of an attempt on this node and how it spent its time.

They are read from outside, so that no rank is asked or slowed: the position comes from the file that the rank maps,
state and times come from the kernel.
"""

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path

from ringscope.contracts.protocol import PULSE_SECONDS, Pulse, RankPulse
from ringscope.engine import positions
from ringscope.engine.memory.resident_set import anonymous_bytes
from ringscope.engine.positions import Position
from ringscope_agent import process_group
from ringscope_agent.client import ServerClient
from ringscope_agent.home import AttemptFolder

_MEMORY_SECONDS = 2.0


async def send(client: ServerClient, attempt_id: int, pids: Mapping[int, int], folder: AttemptFolder) -> None:
    """Send pulses until cancelled; ``pids`` are those of the ranks, by rank, as far as they are known."""
    memory = Memory()
    while True:
        await asyncio.sleep(PULSE_SECONDS)
        if folder.paths is not None and (ranks := rank_pulses(pids, folder.paths.kit.positions, memory)):
            time_us = time.monotonic_ns() // 1000
            await client.pulse(Pulse(epoch=0, attempt_id=attempt_id, time_us=time_us, ranks=ranks))


class Memory:
    """The memory of processes, read at most every 2 seconds: it takes as long as all else in a pulse."""

    def __init__(self) -> None:
        self._read: dict[int, int | None] = {}
        self._until = 0.0

    def bytes_of(self, pid: int) -> int | None:
        """Return the memory of a process, without that of files and shared memory; None if it is not reported."""
        if (now := time.monotonic()) >= self._until:
            self._read, self._until = {}, now + _MEMORY_SECONDS
        if pid not in self._read:
            self._read[pid] = anonymous_bytes(pid)
        return self._read[pid]


def rank_pulses(pids: Mapping[int, int], path: Path, memory: Memory) -> list[RankPulse]:
    """Return how far the living ranks among these are, from the file of their positions."""
    places = positions.read(path)
    return [
        _rank_pulse(rank, state, places[rank], pid, memory)
        for rank, pid in sorted(pids.items())
        if rank < len(places) and (state := process_group.state_of(pid)) not in ("", "Z", "X")
    ]


def _rank_pulse(rank: int, state: str, place: Position, pid: int, memory: Memory) -> RankPulse:
    times = process_group.times_of(pid)
    return RankPulse(
        rank=rank,
        state=state,
        step=place.step,
        iterations=place.iterations,
        untimed=place.untimed,
        size_bytes=place.size_bytes,
        waited_us=place.waited_ns // 1000,
        awaits=place.awaits,
        is_inside=place.calls > 0,
        calls=place.calls,
        has_finished=place.has_finished,
        stage=place.stage,
        stage_since_ns=place.stage_since_ns,
        collective=place.collective,
        running_us=None if times is None else times.running_ns // 1000,
        queued_us=None if times is None else times.queued_ns // 1000,
        input_us=place.input_ns // 1000 or None,
        anonymous_bytes=memory.bytes_of(pid),
    )
