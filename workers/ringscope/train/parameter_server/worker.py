"""A worker's side: gradients to all servers, parameters back from all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ringscope.train.parameter_server.clocks import check_lag
from ringscope.train.parameter_server.shards import FlatModel, shards
from ringscope.train.parameter_server.tags import Tag

if TYPE_CHECKING:
    from ringscope.engine.point_to_point import PointToPoint


class Worker:
    """One of the workers; its rank is its number among them, and the servers are the ranks after the workers.

    Args: clock: steps that an earlier attempt has done. bound: the bound as in ``clocks``. brings_state: returns
    whether the servers also send the optimizer's state at a clock, into ``model.rows``.
    """

    def __init__(
        self,
        post: PointToPoint,
        servers: Sequence[int],
        model: FlatModel,
        clock: int,
        bound: int | None,
        brings_state: Callable[[int], bool],
    ) -> None:
        self._rank, self._servers, self._model, self._bound = post.rank, servers, model, bound
        self._shards = shards(model.gradients.numel(), len(servers))
        self._clocks = np.zeros((len(servers), servers[0]), np.int64)
        self._steps = np.zeros(1, np.int64)
        self._messages, self._clock, self._brings_state = post.messages(), clock, brings_state

    @property
    def optimizer_steps(self) -> int:
        """Return the steps of a server's optimizer when its state was last received."""
        return int(self._steps[0])

    def give_start(self, optimizer_steps: int) -> None:
        """Send every server its part of parameters and state; only one worker does, because all have the same."""
        self._steps[0] = optimizer_steps
        for server, shard in zip(self._servers, self._shards, strict=True):
            self._messages.send(self._steps, server, Tag.STEPS)
            for row in self._model.rows:
                self._messages.send(row[shard].numpy(), server, Tag.STATE)
        self._messages.wait(self._clock)

    def stop(self) -> None:
        """Stop the servers early; they accept no more gradients."""
        for server in self._servers:
            self._messages.send(self._steps, server, Tag.STOP)
        self._messages.wait(self._clock)

    def exchange(self) -> int:
        """Push the gradient of a step, and pull the parameters for the next one as soon as this worker may begin it.

        Returns how many steps this worker is then ahead of the slowest one; StalenessError beyond the bound.
        """
        self._clock += 1
        for number, (server, shard) in enumerate(zip(self._servers, self._shards, strict=True)):
            self._messages.send(self._model.gradients[shard].numpy(), server, Tag.GRADIENT)
            self._messages.receive(self._clocks[number], server, Tag.CLOCKS)
            self._messages.receive(self._model.rows[0, shard].numpy(), server, Tag.PARAMETERS)
            if self._brings_state(self._clock):
                self._messages.receive(self._steps, server, Tag.STEPS)
                for row in self._model.rows[1:]:
                    self._messages.receive(row[shard].numpy(), server, Tag.STATE)
        self._messages.wait(self._clock)
        return max(check_lag(clocks.tolist(), self._rank, self._bound) for clocks in self._clocks)
