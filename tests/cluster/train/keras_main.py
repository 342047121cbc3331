"""Run by test_tensorflow.py on one rank: models and optimizers of Keras beside PyTorch's."""

import json
import sys
import traceback
from typing import Any

import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.engine.transports.mpi import abort
from ringscope.train import data, models
from ringscope.train.optimizer import build_optimizer
from ringscope.train.tf_peer.library import load
from ringscope.train.tf_peer.replicas import KerasReplicas

STEPS = 5
BASE: dict[str, Any] = {
    "strategy": "tf_mirrored",
    "dataset": {"name": "synthetic", "samples": 64},
    "global_batch_size": 9,
    "learning_rate": 0.02,
}
SMALL_MLP = {"model": "mlp", "model_arguments": {"hidden": 8, "layers": 2}}
VARIANTS: dict[str, dict[str, Any]] = {
    "mlp": SMALL_MLP,
    "cnn": {"model": "cnn", "model_arguments": {"channels": 4, "hidden": 8}},
    "resnet18": {"model": "resnet18", "model_arguments": {"width": 16}, "learning_rate": 0.001},
    "sgd with decay": SMALL_MLP | {"weight_decay": 0.1},
    "adam with decay": SMALL_MLP | {"optimizer": "adam", "learning_rate": 1e-3, "weight_decay": 0.1},
    "adamw": SMALL_MLP | {"optimizer": "adamw", "learning_rate": 1e-3, "weight_decay": 0.1},
}


def batches(spec: TrainingSpec, dataset: data.Dataset) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return one batch for each step."""
    return [dataset.training.batch(indices) for indices in torch.arange(STEPS * spec.global_batch_size).split(9)]


def parameters(module: torch.nn.Module) -> torch.Tensor:
    """All of them, copied."""
    return torch.cat([parameter.detach().reshape(-1) for parameter in module.parameters()])


def reference(spec: TrainingSpec, dataset: data.Dataset) -> tuple[torch.nn.Module, list[float]]:
    """Return the model as PyTorch trains it on the same batches, and its losses."""
    module = models.build(spec, dataset)
    optimizer = build_optimizer(spec, module)
    losses = []
    for inputs, targets in batches(spec, dataset):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(module(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return module, losses


def main() -> None:
    """Compare every variant, on two replicas, and tell."""
    torch.set_num_threads(1)
    tf = load(threads=1, ranks=2, replicas=2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    for name, changes in VARIANTS.items():
        spec = TrainingSpec.model_validate(BASE | changes)
        dataset = data.load(spec)
        module, losses = reference(spec, dataset)
        peer = KerasReplicas(tf, strategy, spec, models.build(spec, dataset), dataset.shape)
        first = parameters(peer.module)
        found = [peer.step([batch], 1, 9).loss_sum / 9 for batch in batches(spec, dataset)]
        mine, other = parameters(peer.module), parameters(module)
        difference = float((mine - other).norm() / (other - first).norm())
        result = {"name": name, "losses": found, "expected": losses, "difference": difference}
        sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    try:
        main()
    except Exception:
        traceback.print_exc()
        abort(1)
