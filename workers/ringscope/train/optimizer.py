"""The optimizer that a job names, from PyTorch."""

from __future__ import annotations

from typing import Any

import torch

from ringscope.contracts.training import TrainingSpec

_STATE = {"sgd": ("momentum_buffer",), "adam": ("exp_avg", "exp_avg_sq"), "adamw": ("exp_avg", "exp_avg_sq")}


def build_optimizer(spec: TrainingSpec, module: torch.nn.Module, is_fused: bool = True) -> torch.optim.Optimizer:
    """Build the optimizer of all parameters of ``module``; if fused, it reads memory once, on CPUs and GPUs."""
    way = {"fused": True} if is_fused else {"foreach": True}
    options: dict[str, Any] = {"lr": spec.learning_rate, "weight_decay": spec.weight_decay} | way
    parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
    match spec.optimizer:
        case "sgd":
            return torch.optim.SGD(parameters, momentum=spec.momentum, **options)
        case "adam":
            return torch.optim.Adam(parameters, **options)
        case "adamw":
            return torch.optim.AdamW(parameters, **options)


def state_names(spec: TrainingSpec) -> tuple[str, ...]:
    """Return the names of the state that the job's PyTorch optimizer keeps for each parameter."""
    return () if spec.optimizer == "sgd" and not spec.momentum else _STATE[spec.optimizer]
