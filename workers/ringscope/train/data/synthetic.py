"""Samples that are generated from the seed, for speed and for tests: a task that every model can learn.

Pictures have 3x32x32 pixels in 10 classes: the picture of the class, half hidden by noise. The next token follows a
fixed rule in nine of ten cases.
"""

import numpy as np
import torch
from numpy.random import Generator

from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.training.dataset import LABELS
from ringscope.contracts.training.size import SYNTHETIC_SAMPLES, TOKENS
from ringscope.train.data.split import Dataset, Split, pictures

SHAPE = (3, 32, 32)
RULE_HOLDS = 0.9  # how often the next token follows the rule


def load(spec: TrainingSpec) -> Dataset:
    """Generate ``samples`` samples, with ``validation_percent`` held out; equal on every rank."""
    samples = spec.dataset.samples or SYNTHETIC_SAMPLES
    held_out = max(1, samples * spec.dataset.validation_percent // 100)
    rng = np.random.default_rng(spec.seed)
    if spec.model == "gpt":
        return _tokens(rng, samples, held_out, spec.context)
    return _pictures(rng, samples, held_out)


def _pictures(rng: Generator, samples: int, held_out: int) -> Dataset:
    channels, height, width = SHAPE
    # Blocks of 4x4 pixels, because a model with small filters cannot see single pixels through the noise.
    coarse = rng.integers(0, 128, (LABELS, channels, height // 4, width // 4), dtype=np.uint8)
    classes = coarse.repeat(4, axis=2).repeat(4, axis=3)
    targets = rng.integers(0, LABELS, samples)
    inputs = rng.integers(0, 128, (samples, *SHAPE), dtype=np.uint8)
    inputs += classes[targets]
    every = torch.from_numpy(inputs), torch.from_numpy(targets)
    training, validation = tuple(t[held_out:] for t in every), tuple(t[:held_out] for t in every)
    return pictures("synthetic", training, validation, LABELS)


def _tokens(rng: Generator, samples: int, held_out: int, context: int) -> Dataset:
    rule = rng.permutation(TOKENS).astype(np.uint8)
    # tokens that do not follow the rule stay random
    tokens = rng.integers(0, TOKENS, (samples, context + 1), dtype=np.uint8)
    holds = rng.random((samples, context)) < RULE_HOLDS
    for place in range(context):
        np.copyto(tokens[:, place + 1], rule[tokens[:, place]], where=holds[:, place])
    inputs, targets = torch.from_numpy(tokens[:, :-1]), torch.from_numpy(tokens[:, 1:])
    training = Split(inputs[held_out:], targets[held_out:])
    return Dataset("synthetic", training, Split(inputs[:held_out], targets[:held_out]), TOKENS, (context,))
