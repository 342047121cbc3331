"""A parameter server: it holds a part of the parameters, applies gradients, and lets workers continue."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from ringscope.engine.positions import ITERATIONS, set_stage
from ringscope.train.parameter_server.clocks import Clocks
from ringscope.train.parameter_server.shards import bind
from ringscope.train.parameter_server.tags import Tag

if TYPE_CHECKING:
    from ringscope.engine.point_to_point import Messages, PointToPoint


class Shard(nn.Module):
    """The parameters that a server holds, as a model with a single parameter."""

    def __init__(self, elements: int, names: tuple[str, ...]) -> None:
        super().__init__()
        self.names, self.rows = names, torch.zeros(1 + len(names), elements)
        self.values = nn.Parameter(self.rows[0])


class Server:
    """One server; the ranks 0 to workers - 1 are the workers.

    With ``together`` the gradients of a step are summed and applied at once, in the workers' order, so that the result
    does not depend on the order of arrival; else each is applied on arrival, weighted by its worker's share of the
    batch.
    """

    def __init__(
        self,
        post: PointToPoint,
        workers: int,
        shard: Shard,
        optimizer: torch.optim.Optimizer,
        clocks: Clocks,
        together: bool,
        brings_state: Callable[[int], bool],
    ) -> None:
        self._post, self._shard, self._optimizer = post, shard, optimizer
        self._clocks, self._together, self._brings_state = clocks, together, brings_state
        self._is_state_on_its_way = False
        elements = shard.values.numel()
        self._gradients = torch.zeros(workers, elements)
        self._answers = [_Answer(post.messages(), torch.empty(elements), workers) for _ in range(workers)]
        self._inbox = post.inbox([gradient.numpy() for gradient in self._gradients], Tag.GRADIENT)

    def run(self) -> None:
        """Serve until all workers are done, or until one of them stops the server."""
        set_stage(self._post.position, "")
        self._take_start()
        begin = min(self._clocks.values)
        for worker in self._clocks.running:
            self._inbox.expect(worker)
        while not self._clocks.is_over and (arrived := self._arrived()):
            for worker in arrived:
                self._clocks.note(worker)
                if not self._together:
                    self._apply(self._gradients[worker])
            if self._together and not self._clocks.running:
                self._apply(self._gradients.sum(dim=0))
            for worker in self._clocks.let_go():
                self._answer(worker)
            self._post.position[ITERATIONS] = min(self._clocks.values) - begin
        self._finish_answers()
        if self._clocks.running:
            self._take_stop()
        self._inbox.free()

    def _take_start(self) -> None:
        steps, messages = np.zeros(1, np.int64), self._post.messages()
        messages.receive(steps, 0, Tag.STEPS)
        for row in self._shard.rows:
            messages.receive(row.numpy(), 0, Tag.STATE)
        messages.wait(self._clocks.values[0])
        bind(self._optimizer, [self._shard.values], self._shard.rows, self._shard.names, int(steps[0]))
        self._optimizer_steps = int(steps[0])

    def _arrived(self) -> list[int]:
        """Return the workers whose gradients have arrived: at least one, or none if the server should stop."""
        return self._inbox.wait(lambda: self._post.has(0, Tag.STOP), min(self._clocks.values))

    def _take_stop(self) -> None:
        messages = self._post.messages()
        messages.receive(np.zeros(1, np.int64), 0, Tag.STOP)
        messages.wait(min(self._clocks.values))

    def _finish_answers(self) -> None:
        for worker, answer in enumerate(self._answers):
            answer.messages.wait(self._clocks.values[worker])
        self._is_state_on_its_way = False

    def _apply(self, gradient: Tensor) -> None:
        # the row is not copied, so another worker must have received it before it changes
        if self._is_state_on_its_way:
            self._finish_answers()
        self._shard.values.grad = gradient
        self._optimizer.step()
        self._optimizer_steps += 1

    def _answer(self, worker: int) -> None:
        """Return a copy of the current parameters, because the next gradient may arrive while they are being sent."""
        answer, clock = self._answers[worker], self._clocks.values[worker]
        answer.messages.wait(clock)
        answer.clocks[:] = self._clocks.values
        answer.parameters.copy_(self._shard.rows[0])
        answer.messages.send(answer.clocks, worker, Tag.CLOCKS)
        answer.messages.send(answer.parameters.numpy(), worker, Tag.PARAMETERS)
        if self._brings_state(clock):
            self._is_state_on_its_way = True
            answer.steps[0] = self._optimizer_steps
            answer.messages.send(answer.steps, worker, Tag.STEPS)
            for row in self._shard.rows[1:]:
                answer.messages.send(row.numpy(), worker, Tag.STATE)
        if worker in self._clocks.running:
            self._inbox.expect(worker)


class _Answer:
    """Buffers of an answer in progress; they are reused when the worker has received it."""

    def __init__(self, messages: Messages, parameters: Tensor, workers: int) -> None:
        self.messages, self.parameters = messages, parameters
        self.clocks, self.steps = np.zeros(workers, np.int64), np.zeros(1, np.int64)
