"""The state of NCCL jobs on nodes whose agents ask NCCL's RAS: in memory, for the agents that call this server."""

import time
from collections.abc import Callable
from typing import NamedTuple

from pydantic import BaseModel, Field

from ringscope.contracts.reading import NodeRasState

KEPT_SECONDS = 120.0


class NodeRas(BaseModel):
    """The newest answer of NCCL's RAS on a node."""

    node: str
    is_asked: bool = Field(description="Whether the node's agent asks it (--nccl-ras).")
    state: NodeRasState | None = Field(
        description="The newest state; null: the agent does not ask, asked nothing yet, or calls another server."
    )


class _Told(NamedTuple):
    at: float
    state: NodeRasState


class RasStates:
    """The newest state of each node."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._told: dict[int, _Told] = {}

    def note(self, node_id: int, state: NodeRasState | None) -> None:
        """Keep what a heartbeat says; null means that the agent does not ask."""
        if state is None:
            self._told.pop(node_id, None)
            return
        now = self._monotonic()
        self._told = {key: told for key, told in self._told.items() if now - told.at <= KEPT_SECONDS}
        self._told[node_id] = _Told(now, state)

    def of(self, node_id: int) -> NodeRasState | None:
        """Return a node's newest state with its age."""
        told = self._told.get(node_id)
        if told is None or (passed := self._monotonic() - told.at) > KEPT_SECONDS:
            return None
        return told.state.model_copy(update={"age_seconds": round(told.state.age_seconds + passed, 1)})
