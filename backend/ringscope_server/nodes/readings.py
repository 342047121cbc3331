"""The load of nodes in the last minutes: in memory, for the agents that call this server."""

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from pydantic import BaseModel, Field

from ringscope.contracts.reading import Reading

SPACING_SECONDS = 10.0
KEPT_SECONDS = 300.0
MINUTE_SECONDS = 60.0
KEPT = round(KEPT_SECONDS / SPACING_SECONDS)


class NodeReadings(BaseModel):
    """A node's readings in columns, oldest first; null if the node did not report a value."""

    node: str
    age_seconds: list[float] = Field(description="The age of each reading.")
    load_average: list[float | None] = Field(description="The number of processes that ran or waited for a core.")
    memory_used_bytes: list[int | None]
    gpu_utilization_ratio: list[float | None] = Field(description="The mean over the GPUs.")
    gpu_memory_used_bytes: list[int | None] = Field(description="The memory used on all GPUs.")
    gpu_temperature_celsius: list[float | None] = Field(description="The temperature of the hottest GPU.")


class ReadingPage(BaseModel):
    """Nodes with readings of the last minutes, by name, all of them unless a limit was given."""

    items: list[NodeReadings]
    next: str | None = None


@dataclass(frozen=True)
class _Told:
    at: float
    reading: Reading


class MinuteMeans(BaseModel):
    """The means of a node's readings in one minute; null for what it did not report."""

    load_average: float | None = None
    memory_used_bytes: int | None = None
    network_bytes_per_second: float | None = None
    gpu_utilization_ratio: float | None = None


class Readings:
    """The newest readings of each node, a limited number."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._rings: dict[int, deque[_Told]] = {}

    def note(self, node_id: int, reading: Reading | None) -> None:
        """Add a reading unless the last one is too new; agents of earlier versions send none."""
        if reading is None:
            return
        now = self._monotonic()
        if node_id not in self._rings:
            self._forget_the_silent(now)
        ring = self._rings.setdefault(node_id, deque(maxlen=KEPT))
        if not ring or now - ring[-1].at >= SPACING_SECONDS:
            ring.append(_Told(now, reading))

    def begin_anew(self, node_id: int) -> None:
        """Note that a new agent speaks for the node: until it reports a value, the node's newest one is unknown."""
        if (ring := self._rings.get(node_id)) is not None:
            ring.append(_Told(self._monotonic(), Reading()))

    def load_average(self, node_id: int) -> float | None:
        """Return the node's newest load average of the last minutes; None if it reports none, or to another server."""
        ring = self._rings.get(node_id)
        if not ring or self._monotonic() - ring[-1].at > KEPT_SECONDS:
            return None
        return ring[-1].reading.load_average

    def minute(self) -> dict[int, MinuteMeans]:
        """Return the means of the last minute's readings for each node that reported any."""
        now = self._monotonic()
        recent = {key: [told for told in ring if now - told.at <= MINUTE_SECONDS] for key, ring in self._rings.items()}
        return {node_id: _means(told) for node_id, told in recent.items() if told}

    def columns(self, nodes: Iterable[tuple[int, str]]) -> list[NodeReadings]:
        """Return the readings of these nodes, each an id and a name, in their order."""
        now = self._monotonic()
        kept = [
            (name, [told for told in self._rings.get(node_id, ()) if now - told.at <= KEPT_SECONDS])
            for node_id, name in nodes
        ]
        return [_columns(name, told, now) for name, told in kept if told]

    def _forget_the_silent(self, now: float) -> None:
        self._rings = {key: ring for key, ring in self._rings.items() if now - ring[-1].at <= KEPT_SECONDS}


def _columns(name: str, told: list[_Told], now: float) -> NodeReadings:
    names = Reading.model_fields.keys() & NodeReadings.model_fields.keys()
    columns = {column: [getattr(one.reading, column) for one in told] for column in names}
    return NodeReadings(node=name, age_seconds=[round(now - one.at, 1) for one in told], **columns)


def _means(told: list[_Told]) -> MinuteMeans:
    memory = _mean([one.reading.memory_used_bytes for one in told])
    return MinuteMeans(
        load_average=_mean([one.reading.load_average for one in told]),
        memory_used_bytes=None if memory is None else round(memory),
        network_bytes_per_second=_rate([(one.at, one.reading.network_bytes) for one in told]),
        gpu_utilization_ratio=_mean([one.reading.gpu_utilization_ratio for one in told]),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _rate(counts: Iterable[tuple[float, int | None]]) -> float | None:
    """Return the bytes per second between the first and the last count; None if the count began anew between them."""
    known = [(at, count) for at, count in counts if count is not None]
    if len(known) < 2 or any(later < earlier for (_, earlier), (_, later) in pairwise(known)):
        return None
    (start, first), (end, last) = known[0], known[-1]
    return (last - first) / (end - start)
