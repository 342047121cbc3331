"""Datasets, each with its held-out part: a module for each name. Nothing is downloaded."""

from collections.abc import Callable

from ringscope.contracts.training import TrainingSpec
from ringscope.train.data import cifar10, digits, own, synthetic, text
from ringscope.train.data.split import Dataset, Normalisation, Samples, Split

__all__ = ["Dataset", "Normalisation", "Samples", "Split", "load"]

_LOADERS: dict[str, Callable[[TrainingSpec], Dataset]] = {
    "cifar10": cifar10.load,
    "digits": digits.load,
    "own": own.load,
    "synthetic": synthetic.load,
    "text": text.load,
}


def load(spec: TrainingSpec) -> Dataset:
    """Return the job's dataset; EngineError says which files are expected and where."""
    return _LOADERS[spec.dataset.name](spec)
