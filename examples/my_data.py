"""A dataset of one's own for a training job: any map-style or iterable dataset of pairs (input, target)."""

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch.utils.data import Dataset


class Digits(Dataset):
    """Handwritten digits of 8x8 pixels; training pictures are moved by up to a pixel, at random."""

    classes = 10

    def __init__(self, pictures: np.ndarray, labels: np.ndarray, is_moved: bool) -> None:
        self.pictures, self.labels, self.is_moved = pictures, labels, is_moved

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        picture = torch.from_numpy(self.pictures[index])[None] / 16
        if self.is_moved:
            picture = torch.roll(picture, tuple(torch.randint(-1, 2, (2,)).tolist()), (1, 2))
        return picture, int(self.labels[index])


def load() -> tuple[Digits, Digits]:
    """Return the samples for training and those for validation."""
    found = load_digits()
    pictures, labels = found.images.astype(np.float32), found.target
    return Digits(pictures[:1440], labels[:1440], True), Digits(pictures[1440:], labels[1440:], False)
