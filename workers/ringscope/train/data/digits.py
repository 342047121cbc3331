"""1797 real handwritten digits of 8x8 pixels, which are part of scikit-learn.

Source: E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998.
"""

import numpy as np
import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.training.dataset import LABELS
from ringscope.engine.errors import EngineError
from ringscope.train.data.split import Dataset, pictures


def load(spec: TrainingSpec) -> Dataset:
    """Return the digits, with ``validation_percent`` of each class held out by the seed; EngineError without
    scikit-learn.
    """
    try:
        from sklearn.datasets import load_digits
        from sklearn.model_selection import train_test_split
    except ImportError as error:
        raise EngineError(
            "training.dataset: digits come with scikit-learn, which is not installed on this node; install the extra "
            "train (pip install 'ringscope[train]')."
        ) from error
    found = load_digits()
    inputs, held_out_inputs, targets, held_out_targets = train_test_split(
        found.images.astype(np.uint8)[:, None],
        found.target.astype(np.int64),
        test_size=spec.dataset.validation_percent / 100,
        random_state=spec.seed,
        stratify=found.target,
    )
    training = torch.from_numpy(inputs), torch.from_numpy(targets)
    validation = torch.from_numpy(held_out_inputs), torch.from_numpy(held_out_targets)
    return pictures("digits", training, validation, LABELS)
