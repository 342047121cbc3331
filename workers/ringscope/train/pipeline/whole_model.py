"""The whole model on every rank, whose parameters the stages exchange where all of them are needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.train.optimizer import build_optimizer, state_names

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_STEP = "step"


class WholeModel:
    """The model's parameters, each of which belongs to one stage or is shared by several."""

    def __init__(self, pipe: Communicator, module: torch.nn.Module, stages_of: Sequence[tuple[int, ...]]) -> None:
        """``pipe`` are the ranks of this replica, in the order of the stages; its rank is this rank's stage.

        ``stages_of`` are the stages of each trained parameter, ascending.
        """
        self._pipe, self._module, self.stage = pipe, module, pipe.rank
        self.parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
        self._owners = [stages[0] for stages in stages_of]
        self.mine = [number for number, stages in enumerate(stages_of) if self.stage in stages]
        self._is_stale = False

    def note_update(self) -> None:
        """Record that the stages have changed their parameters."""
        self._is_stale = True

    def module(self) -> torch.nn.Module:
        """Return the whole model after the last update (collective)."""
        if self._is_stale:
            with torch.no_grad():
                for number, values in self.exchange([self.parameters[number] for number in self.mine]):
                    if number not in self.mine:
                        self.parameters[number].copy_(values)
            self._is_stale = False
        return self._module

    def owned(self) -> list[torch.nn.Parameter]:
        """Return the parameters that count for this stage; a shared one counts for its first stage only."""
        return [self.parameters[number] for number in self.mine if self._owners[number] == self.stage]

    def exchange(self, mine: Sequence[torch.Tensor]) -> Iterator[tuple[int, torch.Tensor]]:
        """Yield a value for each trained parameter, with the parameter's number; ``mine`` are this stage's values
        (collective).
        """
        values = dict(zip(self.mine, mine, strict=True))
        for stage in range(self._pipe.size):
            numbers = [number for number, owner in enumerate(self._owners) if owner == stage]
            if stage == self.stage:
                flat = torch.cat([values[number].detach().reshape(-1) for number in numbers])
            else:
                flat = torch.empty(sum(self.parameters[number].numel() for number in numbers))
            self._pipe.broadcast(flat.numpy(), stage)
            parts = flat.split([self.parameters[number].numel() for number in numbers])
            for number, part in zip(numbers, parts, strict=True):
                yield number, part.view_as(self.parameters[number])


class StageOptimizer:
    """The job's optimizer on this stage's parameters; its checkpoints are those of an optimizer of the whole model."""

    def __init__(self, spec: TrainingSpec, whole: WholeModel) -> None:
        self._whole, self._names = whole, state_names(spec)
        self._mine = [whole.parameters[number] for number in whole.mine]
        self._optimizer = build_optimizer(spec, torch.nn.ParameterList(self._mine))

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """Return learning rate and similar options."""
        groups: list[dict[str, Any]] = self._optimizer.param_groups
        return groups

    def step(self) -> None:
        """Update this stage's parameters."""
        self._optimizer.step()
        self._whole.note_update()

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the whole model's optimizer (collective)."""
        kept = self._optimizer.state
        state: dict[int, dict[str, Any]] = {}
        if kept and self._names:
            step = kept[self._mine[0]].get(_STEP)
            for name in self._names:
                for number, values in self._whole.exchange([kept[parameter][name] for parameter in self._mine]):
                    found = state.setdefault(number, {} if step is None else {_STEP: step.clone()})
                    found[name] = values.clone()
        groups = self._optimizer.state_dict()["param_groups"]
        numbers = list(range(len(self._whole.parameters)))
        return {"state": dict(sorted(state.items())), "param_groups": [groups[0] | {"params": numbers}]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore this stage's share of a checkpoint's state; KeyError if it is of another optimizer."""
        groups, kept = self._optimizer.state_dict()["param_groups"], state["state"]
        mine = {place: self._named(kept[number]) for place, number in enumerate(self._whole.mine) if kept}
        self._optimizer.load_state_dict({"state": mine if all(mine.values()) else {}, "param_groups": groups})

    def _named(self, kept: dict[str, Any]) -> dict[str, Any]:
        """Return the state of a parameter; none if the checkpoint has none, as after a run of sgd without momentum."""
        if any(kept.get(name) is None for name in self._names if name == "momentum_buffer"):
            return {}
        return {name: kept[name] for name in (*self._names, *((_STEP,) if _STEP in kept else ()))}
