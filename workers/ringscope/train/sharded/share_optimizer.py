"""The job's optimizer on this rank's share, with a state in the format of checkpoints."""

from __future__ import annotations

from typing import Any

import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.train.optimizer import build_optimizer, state_names
from ringscope.train.sharded.sharded_sum import OwnPiece, ShardedSum

_STEP = "step"


class ShareOptimizer:
    """Updates this rank's share; its checkpoints are those of an optimizer of the whole model."""

    def __init__(self, spec: TrainingSpec, sums: ShardedSum, is_writer: bool) -> None:
        """``is_writer``: this rank writes checkpoints, and so needs the whole state for a moment."""
        self._spec, self._sums, self._is_writer = spec, sums, is_writer
        self._names = state_names(spec)
        values = [own.values for own in sums.share]
        # PyTorch's optimizers refuse an empty list, which a rank has if there are fewer parameters than ranks.
        share = torch.nn.ParameterList(values or [torch.nn.Parameter(torch.empty(0))])
        self._optimizer = build_optimizer(spec, share)

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """Return learning rate and similar options."""
        groups: list[dict[str, Any]] = self._optimizer.param_groups
        return groups

    @property
    def state_bytes(self) -> int:
        """Return the size of the state that this rank holds after the first step."""
        return len(self._names) * sum(int(own.values.nbytes) for own in self._sums.share)

    @property
    def whole_bytes(self) -> int:
        """Return the size of the state of an optimizer of the whole model."""
        return len(self._names) * self._sums.size_bytes

    def step(self) -> None:
        """Update the share."""
        self._optimizer.step()

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the whole model's optimizer on the ranks that write, and none elsewhere (collective)."""
        kept = self._optimizer.state
        whole: dict[int, dict[str, Any]] = {}
        if kept and self._names:
            step = next(iter(kept.values())).get(_STEP)
            for name in self._names:
                values = [kept[own.values][name] for own in self._sums.share]
                self._sums.gather(values, self._taking(whole, name, step))
        groups = self._optimizer.state_dict()["param_groups"]
        parameters = sum(len(bucket.parameters) for bucket in self._sums.buckets)
        return {
            "state": dict(sorted(whole.items())),
            "param_groups": [groups[0] | {"params": list(range(parameters))}],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore this rank's share of a checkpoint's state; ValueError or KeyError if it is of another optimizer."""
        whole = build_optimizer(self._spec, self._sums.module)
        whole.load_state_dict(state)
        trained = whole.param_groups[0]["params"]
        share = [self._part(own, whole.state.get(trained[own.place], {})) for own in self._sums.share]
        own_groups = self._optimizer.state_dict()["param_groups"]
        found = dict(enumerate(share)) if all(share) else {}
        self._optimizer.load_state_dict({"state": found, "param_groups": own_groups})

    def _part(self, own: OwnPiece, state: dict[str, Any]) -> dict[str, Any]:
        """Return the state of a piece; none if the checkpoint has none, as after a run of sgd without momentum."""
        if any(state.get(name) is None for name in self._names) and self._spec.optimizer == "sgd":
            return {}
        span = slice(own.piece.first, own.piece.first + own.values.numel())
        part = {name: state[name].reshape(-1)[span].clone() for name in self._names if state}
        return part | ({_STEP: state[_STEP].clone()} if _STEP in state else {})

    def _taking(self, whole: dict[int, dict[str, Any]], name: str, step: torch.Tensor | None) -> Any:
        def take(place: int, values: torch.Tensor) -> None:
            if self._is_writer:
                state = whole.setdefault(place, {} if step is None else {_STEP: step.clone()})
                state[name] = values.clone()

        return take
