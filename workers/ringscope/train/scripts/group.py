"""The gradients of one optimizer: buckets that are summed while backward runs, and ``.grad`` that is the mean after it.

While backward runs, ``.grad`` is PyTorch's own, so that no hook sees an incomplete sum. A gradient is copied into its
bucket on arrival; at the end of backward ``.grad`` becomes a view of the bucket, which then holds the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from ringscope.engine.errors import EngineError
from ringscope.train.scripts.notes import FIELDS, Notes, compare_notes, write_notes
from ringscope.train.sums.bucket_sums import BucketSums, SumThread
from ringscope.train.sums.buckets import place_gradients
from ringscope.train.sums.gradient_sum import Sums

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_AGAIN = (
    "backward: a gradient came again while its sum was under way. An earlier backward was interrupted by an error, or "
    "activations are checkpointed with use_reentrant=True: take use_reentrant=False, or "
    "DistributedOptimizer(..., overlap=False)."
)
_CHANGED = (
    "A hook changed a gradient inside of backward after its sum had begun; change gradients after backward, or "
    "register the hook before DistributedOptimizer is made."
)
_MOVED = (
    "model: a parameter has moved to another device or type since DistributedOptimizer was made; move the model before."
)
_SPARSE = "model: a gradient is sparse, and only dense ones are summed; make the embedding with sparse=False."


@dataclass(slots=True)
class _Place:
    """The memory in which a parameter's gradient is summed, and the last value of its ``.grad``."""

    slot: torch.Tensor
    bucket: int
    given: Any = None  # the view that became ``.grad``
    copied: Any = None  # the data that was copied into the slot in this backward
    version: int = 0  # version of the copied data

    def holds(self, gradient: torch.Tensor) -> bool:
        """Return whether this ``.grad`` is the memory that is summed."""
        return gradient is self.given and gradient.data_ptr() == self.slot.data_ptr()

    def take(self, gradient: torch.Tensor) -> None:
        """Copy a gradient from other memory."""
        if self.holds(gradient):
            return
        if gradient.is_sparse:
            raise EngineError(_SPARSE)
        if gradient.dtype != self.slot.dtype or gradient.device != self.slot.device:
            raise EngineError(_MOVED)
        if self.copied is not gradient or self.version != gradient._version:
            self.slot.copy_(gradient.detach())
            self.copied, self.version = gradient, gradient._version

    def give(self, parameter: torch.nn.Parameter) -> None:
        """Make the slot the parameter's ``.grad``."""
        if parameter.grad is None or not self.holds(parameter.grad):
            self.given = parameter.grad = self.slot.detach()


class Group:
    """Gradients that are summed together; all ranks make the same calls (collective)."""

    def __init__(
        self,
        comm: Communicator,
        parameters: list[torch.nn.Parameter],
        algorithm: str,
        bucket_bytes: int,
        thread: SumThread | None,
        on_arrival: Callable[[Group, torch.nn.Parameter], bool],
    ) -> None:
        """``on_arrival`` is called for every gradient; it returns whether the end of backward will sum it."""
        self.newest: Sums | None = None
        self.overlaps = False  # whether sums run during backward
        self.compared_after = -1  # steps after which the parameters were last compared
        self.changes = 0  # in-place changes of the parameters up to the last notes
        self._thread = thread
        self.is_touched = False
        self._comm, self._bucket_bytes, self._on_arrival = comm, bucket_bytes, on_arrival
        self._places: dict[torch.nn.Parameter, _Place] = {}
        ranks = comm.size
        first = place_gradients(comm, parameters, bucket_bytes, lambda n, is_last: n + FIELDS * ranks * is_last)
        self.sums = BucketSums(comm, algorithm, first)
        self._compared = len(first) - 1  # the bucket with the ranks' notes
        self._watch(0)
        self._begin()

    @property
    def parameters(self) -> Iterable[torch.nn.Parameter]:
        """Return all parameters summed here, in the same order on every rank."""
        return self._places

    def extend(self, parameters: list[torch.nn.Parameter]) -> None:
        """Also sum these parameters (collective)."""
        known = len(self.sums.buckets)
        self.sums.add(place_gradients(self._comm, parameters, self._bucket_bytes, lambda n, is_last: n))
        self._watch(known)
        self._begin()

    def is_summed(self, parameter: torch.nn.Parameter) -> bool:
        """Return whether ``.grad`` is the result of the last sum, possibly changed in place, or None."""
        return parameter.grad is None or self._places[parameter].holds(parameter.grad)

    def finish(self, notes: Notes) -> bool:
        """Sum the remaining gradients, and make every ``.grad`` the mean. Raises the engine's errors.

        Return whether the numbers of in-place changes of parameters differ between ranks.
        """
        if not self.is_touched:
            self.sums.begin()
        buckets = self.sums.buckets
        write_notes(self._area, notes, self._comm.rank)
        for number in range(len(buckets)):
            if not self.sums.has_started(number):
                self._pack(number)
            self._complete(number)
        self.newest = self.sums.finish(self._thread)
        must_compare = compare_notes(self._area)
        for bucket in buckets:
            self._require_unchanged(bucket.parameters)
            self._give(bucket.parameters, bucket.notes)
        if self._comm.size > 1:
            torch._foreach_div_([bucket.gradient for bucket in buckets], float(self._comm.size))
        self._begin()
        return must_compare

    def end(self, notes: Notes) -> None:
        """Take part in a sum without gradients, in the caller's thread, because ranks that continue wait in such a
        sum.
        """
        if not self.is_touched:
            self.sums.begin()
        write_notes(self._area, notes, self._comm.rank)
        for number, bucket in enumerate(self.sums.buckets):
            if not self.sums.has_started(number):
                bucket.gradient.zero_()
                bucket.notes[: len(bucket.parameters)].zero_()
                self.sums.complete(number, None)
        self.sums.finish(None)
        compare_notes(self._area)
        self._begin()

    def _watch(self, first: int) -> None:
        for number, bucket in enumerate(self.sums.buckets[first:], first):
            for parameter, slot in bucket.parts:
                self._places[parameter] = _Place(slot, number)
                parameter.register_post_accumulate_grad_hook(self._arrive)

    def _begin(self) -> None:
        self._missing = [len(bucket.parameters) for bucket in self.sums.buckets]
        self._arrived = set[torch.nn.Parameter]()
        self.is_touched = False

    @property
    def _area(self) -> torch.Tensor:
        return self.sums.buckets[self._compared].notes[-FIELDS * self._comm.size :]

    def _arrive(self, parameter: torch.nn.Parameter) -> None:
        gradient = parameter.grad
        if gradient is not None and gradient.is_sparse:
            raise EngineError(_SPARSE)
        if not self._on_arrival(self, parameter):
            return
        if not self.is_touched:
            self.sums.begin()
            self.is_touched = True
        place = self._places[parameter]
        number = place.bucket
        if self.sums.has_started(number):
            raise EngineError(_AGAIN)
        if gradient is not None:
            place.take(gradient)
        if parameter not in self._arrived:
            self._arrived.add(parameter)
            self._missing[number] -= 1
            if self._missing[number] == 0 and number != self._compared:
                self._pack(number)
                self._complete(number)

    def _complete(self, number: int) -> None:
        self.sums.complete(number, self._thread if self.overlaps else None)

    def _pack(self, number: int) -> None:
        """Copy every ``.grad`` into the bucket, or zeros if there is none, and record which parameters have one."""
        bucket = self.sums.buckets[number]
        for parameter in bucket.parameters:
            if parameter.grad is None:
                self._places[parameter].slot.zero_()
            else:
                self._places[parameter].take(parameter.grad)
        flags = torch.tensor([float(parameter.grad is not None) for parameter in bucket.parameters])
        bucket.notes[: len(flags)].copy_(flags)

    def _require_unchanged(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        for parameter in parameters:
            place = self._places[parameter]
            if place.copied is not None and (
                place.copied is not parameter.grad or place.copied._version != place.version
            ):
                raise EngineError(_CHANGED)
            place.copied = None

    def _give(self, parameters: tuple[torch.nn.Parameter, ...], flags: torch.Tensor) -> None:
        """Set ``.grad`` for every parameter for which any rank had a gradient; the others have none, as in a single
        process.
        """
        has_some = [True] * len(parameters)
        if any(parameter.grad is None for parameter in parameters):
            has_some = [flag > 0 for flag in flags[: len(parameters)].tolist()]
        for parameter, is_used in zip(parameters, has_some, strict=True):
            if is_used:
                self._places[parameter].give(parameter)
