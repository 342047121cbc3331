"""The sum of gradients in shares: each rank gets the sum of its share, and updates that share of the parameters.

The chunks of the algorithm's all-reduce are the shares: the first half of its schedule sums the gradients, its second
half gathers the parameters. So the sums are bitwise those of the same all-reduce.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from ringscope.choice.situation import Choice
from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.words.collectives import AUTO
from ringscope.engine.base import Plan
from ringscope.engine.errors import EngineError
from ringscope.schedules.schedule import Schedule
from ringscope.train.device import Marker
from ringscope.train.sharded.layout import Layout, Piece
from ringscope.train.sums.bucket_sums import BucketSums, choose
from ringscope.train.sums.buckets import Bucket, tensor_over
from ringscope.train.sums.gradient_shares import GradientShares
from ringscope.train.sums.gradient_sum import Sums
from ringscope.train.sums.reducer import Reducer

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_DTYPE, _ITEM_BYTES = "float32", 4


@dataclass(frozen=True, slots=True)
class OwnPiece:
    """A piece of this rank's share.

    ``values`` is what the optimizer works on, a view of the parameter; ``gradient`` is the sum of the piece itself.
    ``place`` is the parameter's index among all trained ones, ``bucket`` the index of its bucket.
    """

    piece: Piece
    place: int
    bucket: int
    values: torch.nn.Parameter
    gradient: torch.Tensor

    def within(self, values: torch.Tensor) -> torch.Tensor:
        """Return the part of the optimizer's elements that is the piece itself."""
        return values[self.piece.start - self.piece.first : self.piece.stop - self.piece.first]


class ShardedSum(GradientShares, Reducer):
    """A GradientSum whose ``gradients`` are this rank's share, and which gathers the parameters after the update."""

    def __init__(self, comm: Communicator, module: torch.nn.Module, spec: TrainingSpec) -> None:
        """Move the parameters of ``module`` to registered memory (collective)."""
        self._comm, self._wanted = comm, spec.all_reduce
        self._halves: list[tuple[Schedule, Schedule]] = []
        super().__init__(comm, module, spec.all_reduce, spec.bucket_bytes, spec.overlap, self._reduce_scatter)
        self._layouts = [Layout([each.numel() for each in bucket.parameters]) for bucket in self.buckets]
        self._parameters = _place_parameters(comm, self.buckets, self._layouts)
        gathers = iter(list(zip(self.choices, self._layouts, self._halves, strict=True)))

        def all_gather(bucket: Bucket) -> tuple[Choice, Plan]:
            choice, layout, (_, gather) = next(gathers)
            return choice, comm.plan_schedule(layout.schedule_of_parameters(gather), bucket.memory)

        self._gathers = BucketSums(comm, spec.all_reduce, self._parameters, all_gather)
        self._marker = Marker(comm.gpu)
        self.share = self._own_pieces()

    @property
    def gradients(self) -> list[torch.Tensor]:
        """Return the sums of this rank's share, after ``finish``."""
        return [own.gradient for own in self.share]

    @property
    def alike(self) -> list[torch.Tensor]:
        """Return the parameters, which all ranks have gathered."""
        return [bucket.gradient for bucket in self._parameters]

    def begin(self) -> None:
        """Start a step: zero the gradients and start the clocks."""
        super().begin()
        self._gathers.begin()

    def share_update(self, sums: Sums) -> Sums:
        """Gather the parameters, of which each rank has updated its share (collective)."""
        thread = self._thread if self._comm.gpu is not None else None
        for number in range(len(self._parameters)):
            self._gathers.complete(number, thread)
        gathered = self._gathers.finish(thread)
        return replace(
            sums,
            exposed_us=sums.exposed_us + gathered.exposed_us,
            bucket_bytes=sums.bucket_bytes + gathered.bucket_bytes,
            ready_us=sums.ready_us + gathered.ready_us,
            start_us=sums.start_us + gathered.start_us,
            end_us=sums.end_us + gathered.end_us,
        )

    def gather(self, values: Sequence[torch.Tensor], take: Callable[[int, torch.Tensor], None]) -> None:
        """Pass the whole values of each parameter to ``take``, from those of the ranks' pieces (collective).

        ``values`` are the optimizer's, one tensor for each piece of ``share``. ``take`` gets the parameter's index and
        memory that is reused: that of the gradients, between two steps.
        """
        places = {id(parameter): place for place, parameter in enumerate(self._trained())}
        for number, (bucket, (_, gather)) in enumerate(zip(self.buckets, self._halves, strict=True)):
            for own, kept in zip(self.share, values, strict=True):
                if own.bucket == number:
                    own.gradient.copy_(own.within(kept))
            self._marker.mark()()
            plan = self._comm.plan_schedule(gather, bucket.memory)
            plan.run()
            plan.free()
            for parameter, part in bucket.parts:
                take(places[id(parameter)], part)

    def close(self) -> None:
        """Remove the hooks from the model, end the thread and free the plans (collective)."""
        super().close()
        self._gathers.free()

    def _trained(self) -> Iterator[torch.nn.Parameter]:
        return (parameter for parameter in self.module.parameters() if parameter.requires_grad)

    def _reduce_scatter(self, bucket: Bucket) -> tuple[Choice, Plan]:
        choice = choose(self._comm, self._wanted, bucket)
        found = self._comm.halves(choice.algorithm, bucket.memory.local.size)
        if found is None and self._wanted == AUTO:
            choice = _instead(self._comm, choice)
            found = self._comm.halves(choice.algorithm, bucket.memory.local.size)
        if found is None:
            raise EngineError(
                f"all_reduce: on these {self._comm.size} ranks {choice.algorithm} leaves no equal share of the sum on "
                "each rank; choose ring or auto."
            )
        self._halves.append(found)
        return choice, self._comm.plan_schedule(found[0], bucket.memory)

    def _own_pieces(self) -> list[OwnPiece]:
        places = {id(parameter): place for place, parameter in enumerate(self._trained())}
        found = []
        for number, (bucket, layout, (scatter, _)) in enumerate(
            zip(self.buckets, self._layouts, self._halves, strict=True)
        ):
            for piece in layout.pieces(scatter.output_chunks(self._comm.rank)):
                parameter, gradient = bucket.parts[piece.parameter]
                span = slice(piece.first, piece.last(parameter.numel()))
                values = torch.nn.Parameter(parameter.detach().reshape(-1)[span])
                values.grad = gradient.reshape(-1)[span]
                own = gradient.reshape(-1)[piece.start : piece.stop]
                found.append(OwnPiece(piece, places[id(parameter)], number, values, own))
        return found


def _instead(comm: Communicator, choice: Choice) -> Choice:
    """Return the algorithm in place of one that leaves no shares."""
    algorithm = "direct" if len(comm.nodes) == 1 else "ring"
    return Choice(algorithm, f"{choice.algorithm} would be the fastest all-reduce, but leaves no share on each rank.")


def _place_parameters(comm: Communicator, buckets: list[Bucket], layouts: list[Layout]) -> list[Bucket]:
    """Move the parameters to registered memory, as ``layouts`` say; return it as buckets (collective)."""
    memory = comm.buffer(sum(layout.elements for layout in layouts) * _ITEM_BYTES)
    placed, start = [], 0
    for bucket, layout in zip(buckets, layouts, strict=True):
        part = memory.section(start, layout.elements * _ITEM_BYTES).view(_DTYPE)
        flat = tensor_over(part.local)
        for parameter, first in zip(bucket.parameters, layout.starts, strict=False):
            values = flat[first : first + parameter.numel()].view_as(parameter)
            values.copy_(parameter.detach())
            parameter.data = values
        placed.append(Bucket(part, flat, flat[:0], bucket.parameters))
        start += layout.elements * _ITEM_BYTES
    return placed
