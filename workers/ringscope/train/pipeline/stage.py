"""One stage of a pipeline: it computes its parts of the model on one micro-batch after another."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from ringscope.contracts.training.record import Activity
from ringscope.train.models import Layer
from ringscope.train.pipeline.schedule import Work

if TYPE_CHECKING:
    from ringscope.engine.point_to_point import Messages
    from ringscope.train.pipeline.message_thread import MessageThread

_Batch = tuple[torch.Tensor, torch.Tensor]
LossSum = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
_AHEAD = 2  # receives are started so many forwards or backwards before they are needed


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive layers of the model. The shapes are those of one sample, without the first dimension."""

    layers: tuple[Layer, ...]
    input_shape: tuple[int, ...]
    output_shape: tuple[int, ...]

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return the output of the last layer."""
        for layer in self.layers:
            inputs = layer.run(inputs)
        return inputs


@dataclass(frozen=True, slots=True)
class Activities:
    """Activities of a stage in one step, in us from its start; the entries are those of ``PipelineStep``."""

    start_ns: int
    entries: list[tuple[Activity, Work, float, float]]
    peak_activations: int

    def total_us(self, *kinds: Activity) -> float:
        """Return the time of all activities of these kinds."""
        return sum(end - start for kind, _, start, end in self.entries if kind in kinds)


class Stage:
    """Runs the order of one stage; ``rank_of`` returns the rank that computes a part."""

    def __init__(
        self,
        parts: Sequence[Part],
        order: Sequence[Work],
        rank_of: Callable[[int], int],
        messages: MessageThread,
        loss_sum: LossSum,
        autocast: Callable[[], AbstractContextManager[object]],
        pad_us: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """``parts`` are those of the whole model.

        ``pad_us`` are times that each forward and each backward takes at least: the stage sleeps for the rest. This is
        for measuring a schedule with more stages than cores.
        """
        self._parts, self._order, self._rank_of = parts, order, rank_of
        self._messages, self._loss_sum, self._autocast = messages, loss_sum, autocast
        self._pad_us = {"forward": pad_us[0], "backward": pad_us[1]}
        self._last = len(parts) - 1

    def run(self, batches: Sequence[_Batch], global_samples: int, step: int) -> tuple[float, Activities]:
        """Compute forward and backward of all micro-batches; gradients are added to ``.grad``.

        The result has the sum of the losses, which only the last stage knows; 0 elsewhere. ``global_samples`` are those
        over which the gradient is the mean, ``step`` is for errors.
        """
        run = _Run(batches, global_samples, step)
        with self._messages.step(step):
            for number, work in enumerate(self._order):
                for ahead in self._order[number : number + 1 + _AHEAD]:
                    self._start_receiving(run, ahead)
                received = self._received(run, work)
                start_us = run.now_us()
                if work.direction == "forward":
                    sent = self._forward(run, work, received)
                else:
                    sent = self._backward(run, work, received)
                self._pad(run, work, start_us)
                run.note(work.direction, work, start_us)
                if sent is not None:
                    self._send(run, work, sent)
        entries = sorted(run.entries, key=lambda entry: entry[2])
        return float(run.loss_sum), Activities(run.start_ns, entries, run.peak)

    def _forward(self, run: _Run, work: Work, received: torch.Tensor | None) -> torch.Tensor | None:
        inputs, targets = run.batches[work.micro_batch]
        given = inputs if received is None else received.requires_grad_()
        with self._autocast():
            output = self._parts[work.part].forward(given)
        is_last = work.part == self._last
        if is_last:
            output = self._loss_sum(output, targets)
            run.loss_sum += output.detach()
        run.keep(work, given, output)
        return None if is_last else output.detach().float().contiguous()

    def _backward(self, run: _Run, work: Work, received: torch.Tensor | None) -> torch.Tensor | None:
        given, output = run.kept.pop(work[1:])
        if received is None:
            (output * (1.0 / run.global_samples)).backward()
        else:
            output.backward(received.to(output.dtype))
        return given.grad.contiguous() if work.part else None

    def _source(self, work: Work) -> int | None:
        """Return the part from which the work needs something; None: from no other."""
        part = work.part - 1 if work.direction == "forward" else work.part + 1
        return part if 0 <= part <= self._last else None

    def _start_receiving(self, run: _Run, work: Work) -> None:
        source = self._source(work)
        if source is None or work in run.incoming:
            return
        part, samples = self._parts[work.part], len(run.batches[work.micro_batch][0])
        shape = part.input_shape if work.direction == "forward" else part.output_shape
        tensor = torch.empty(samples, *shape)
        messages = self._messages.receive(tensor, self._rank_of(source), _tag(work.direction, source))
        run.incoming[work] = (tensor, messages)

    def _received(self, run: _Run, work: Work) -> torch.Tensor | None:
        if work not in run.incoming:
            return None
        tensor, messages = run.incoming.pop(work)
        start_us = run.now_us()
        self._messages.wait(messages, run.step)
        run.note("wait", work, start_us)
        return tensor

    def _send(self, run: _Run, work: Work, tensor: torch.Tensor) -> None:
        target = work.part + (1 if work.direction == "forward" else -1)
        start_us = run.now_us()
        tag = _tag(work.direction, work.part)
        self._messages.send(tensor, self._rank_of(target), tag, lambda: run.note("send", work, start_us))

    def _pad(self, run: _Run, work: Work, start_us: float) -> None:
        if (rest_us := self._pad_us[work.direction] - (run.now_us() - start_us)) > 0:
            time.sleep(rest_us / 1e6)


class _Run:
    """The state of one step."""

    def __init__(self, batches: Sequence[_Batch], global_samples: int, step: int) -> None:
        self.batches, self.global_samples, self.step = batches, global_samples, step
        self.loss_sum = torch.zeros(())
        self.incoming: dict[Work, tuple[torch.Tensor, Messages]] = {}
        self.kept: dict[tuple[int, int], tuple[torch.Tensor, torch.Tensor]] = {}
        self.entries: list[tuple[Activity, Work, float, float]] = []
        self.peak = 0
        self.start_ns, self._start = time.time_ns(), time.perf_counter_ns()

    def now_us(self) -> float:
        return (time.perf_counter_ns() - self._start) / 1e3

    def note(self, kind: Activity, work: Work, start_us: float) -> None:
        self.entries.append((kind, work, start_us, self.now_us()))

    def keep(self, work: Work, given: torch.Tensor, output: torch.Tensor) -> None:
        self.kept[work.part, work.micro_batch] = (given, output)
        self.peak = max(self.peak, len(self.kept))


def _tag(direction: str, part: int) -> int:
    """Return the tag of what a part sends; its messages keep their order."""
    return 2 * part + (direction == "backward")
