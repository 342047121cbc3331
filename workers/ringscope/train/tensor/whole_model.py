"""The whole model on every rank, for which the ranks exchange their parts where all of it is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.train.optimizer import build_optimizer, state_names
from ringscope.train.tensor.division import Share

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_STEP = "step"


class WholeModel:
    """The model's parameters: the divided ones are those of the last exchange, the others are always the newest."""

    def __init__(self, comm: Communicator, module: torch.nn.Module, shares: Sequence[Share]) -> None:
        self._comm, self._module, self.shares = comm, module, shares
        self._is_stale = False

    def note_update(self) -> None:
        """Record that the ranks have changed their parts."""
        self._is_stale = True

    def module(self) -> torch.nn.Module:
        """Return the whole model after the last update (collective)."""
        if self._is_stale:
            wholes = [share.whole.detach() for share in self.shares]
            self.gather([share.mine.detach() for share in self.shares], wholes)
            self._is_stale = False
        return self._module

    def divide(self) -> None:
        """Take this rank's parts from the whole model, which has been loaded."""
        for share in self.shares:
            if share.cut is not None:
                share.mine.detach().copy_(share.cut.part(share.whole.detach(), self._comm.rank))
        self._is_stale = False

    def gather(self, mine: Sequence[torch.Tensor], wholes: Sequence[torch.Tensor]) -> None:
        """Write the values of all ranks into ``wholes``; both have a tensor for each share (collective).

        Values that are not divided are this rank's own.
        """
        for number, (share, values) in enumerate(zip(self.shares, mine, strict=True)):
            if share.cut is None and values is not wholes[number]:
                wholes[number].copy_(values)
        for rank, number, part in self._exchanged(mine):
            cut = self.shares[number].cut
            assert cut is not None, "only divided values are exchanged"
            cut.put(wholes[number], rank, part)

    def _exchanged(self, mine: Sequence[torch.Tensor]) -> Iterator[tuple[int, int, torch.Tensor]]:
        """Yield a rank, a share's number, and the rank's part of it."""
        numbers = [number for number, share in enumerate(self.shares) if share.cut is not None]
        flat = torch.cat([mine[number].reshape(-1) for number in numbers])
        for rank in range(self._comm.size):
            received = flat.clone() if rank == self._comm.rank else torch.empty_like(flat)
            self._comm.broadcast(received.numpy(), rank)
            parts = received.split([mine[number].numel() for number in numbers])
            for number, part in zip(numbers, parts, strict=True):
                yield rank, number, part.view_as(mine[number])


class PartOptimizer:
    """The job's optimizer on this rank's parts; its checkpoints are those of an optimizer of the whole model."""

    def __init__(self, spec: TrainingSpec, whole: WholeModel, rank: int) -> None:
        self._whole, self._names, self._rank = whole, state_names(spec), rank
        self._mine = [share.mine for share in whole.shares]
        self._optimizer = build_optimizer(spec, torch.nn.ParameterList(self._mine))

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """Return learning rate and similar options."""
        groups: list[dict[str, Any]] = self._optimizer.param_groups
        return groups

    def step(self) -> None:
        """Update this rank's parts."""
        self._optimizer.step()
        self._whole.note_update()

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the whole model's optimizer (collective)."""
        kept = self._optimizer.state
        state: dict[int, dict[str, Any]] = {}
        if kept and self._names:
            step = kept[self._mine[0]].get(_STEP)
            state = {number: {} if step is None else {_STEP: step.clone()} for number in range(len(self._mine))}
            for name in self._names:
                wholes = [torch.empty_like(share.whole.detach()) for share in self._whole.shares]
                self._whole.gather([kept[parameter][name] for parameter in self._mine], wholes)
                for number, values in enumerate(wholes):
                    state[number][name] = values
        return {"state": state, "param_groups": self._optimizer.state_dict()["param_groups"]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore this rank's parts of the model, which was loaded before, and of a checkpoint's state.

        KeyError if it is of another optimizer.
        """
        self._whole.divide()
        groups, kept = self._optimizer.state_dict()["param_groups"], state["state"]
        mine = {number: self._part(share, kept[number]) for number, share in enumerate(self._whole.shares) if kept}
        self._optimizer.load_state_dict({"state": mine if all(mine.values()) else {}, "param_groups": groups})

    def _part(self, share: Share, kept: dict[str, Any]) -> dict[str, Any]:
        """Return the state of a part; none if the checkpoint has none, as after a run of sgd without momentum."""
        if any(kept.get(name) is None for name in self._names if name == "momentum_buffer"):
            return {}
        cut = share.cut
        found = {
            name: kept[name].clone() if cut is None else cut.part(kept[name], self._rank).clone()
            for name in self._names
        }
        return found | ({_STEP: kept[_STEP]} if _STEP in kept else {})
