"""The bytes of all files below a folder, concatenated in the order of their names: 256 tokens."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.training.size import TOKENS
from ringscope.engine.errors import EngineError
from ringscope.train.data.split import Dataset, Split


def load(spec: TrainingSpec) -> Dataset:
    """Cut windows of the model's context; the last ``validation_percent`` of the bytes are held out.

    EngineError if there is no file, or too few bytes for a window in either part.
    """
    folder, context = Path(spec.dataset.path or ""), spec.context
    content = _content(folder)
    held_out = len(content) * spec.dataset.validation_percent // 100
    parts = content[: len(content) - held_out], content[len(content) - held_out :]
    if min(len(part) for part in parts) <= context:
        least = -(-100 * (context + 1) // min(spec.dataset.validation_percent, 100 - spec.dataset.validation_percent))
        raise EngineError(
            f"training.dataset.path: the files in {folder} have {len(content)} bytes, too few for a context of "
            f"{context} with {spec.dataset.validation_percent} % held out; give about {least} or more."
        )
    return Dataset("text", windows(parts[0], context), windows(parts[1], context), TOKENS, (context,))


def windows(content: NDArray[np.uint8], context: int) -> Split:
    """Return pieces of ``context`` bytes, with the same bytes shifted by one as targets; an incomplete piece at the
    end is left out.
    """
    count = (len(content) - 1) // context
    tokens = torch.from_numpy(content)
    return Split(tokens[: count * context].view(count, context), tokens[1 : count * context + 1].view(count, context))


def _content(folder: Path) -> NDArray[np.uint8]:
    try:
        if not folder.is_dir():
            raise EngineError(
                f"training.dataset.path: {folder} is not a folder on this node; put the text files there."
            )
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        if not files:
            raise EngineError(f"training.dataset.path: there is no file in {folder}; put text files there.")
        return np.concatenate([np.fromfile(path, dtype=np.uint8) for path in files])
    except OSError as error:
        raise EngineError(f"training.dataset.path: cannot read {error.filename}: {error.strerror or error}.") from error
