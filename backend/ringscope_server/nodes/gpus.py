"""The states of nodes' GPUs: in memory, for the agents that call this server."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pydantic import BaseModel, Field

from ringscope.contracts.reading import GpuState

KEPT_SECONDS = 60.0


class NodeGpus(BaseModel):
    """The newest states of a node's GPUs."""

    node: str
    age_seconds: float | None = Field(
        description="Time since its agent reported them; null: it reported none, or it calls another server."
    )
    gpus: list[GpuState]


class _Told(NamedTuple):
    at: float
    gpus: list[GpuState]


class GpuStates:
    """The newest states of each node."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._told: dict[int, _Told] = {}

    def note(self, node_id: int, gpus: Sequence[GpuState] | None) -> None:
        """Keep what a heartbeat says; null means that the node has no GPU, or has not read them yet."""
        if not gpus:
            self._told.pop(node_id, None)
            return
        if node_id not in self._told:
            self._forget_the_silent()
        self._told[node_id] = _Told(self._monotonic(), list(gpus))

    def of(self, node_id: int, name: str) -> NodeGpus:
        """Return a node's newest states with their age."""
        told = self._told.get(node_id)
        if told is None or (age := self._monotonic() - told.at) > KEPT_SECONDS:
            return NodeGpus(node=name, age_seconds=None, gpus=[])
        return NodeGpus(node=name, age_seconds=round(age, 1), gpus=told.gpus)

    def _forget_the_silent(self) -> None:
        now = self._monotonic()
        self._told = {key: told for key, told in self._told.items() if now - told.at <= KEPT_SECONDS}
