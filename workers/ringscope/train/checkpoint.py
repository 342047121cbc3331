"""Checkpoints: all that training needs to go on from a step, one file each, whole or not there at all."""

import os
import re
import zipfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from ringscope.engine.errors import EngineError

KEPT = 2  # the newest, and the one before it in case that the disk spoiled the newest
_NAME = re.compile(r"step-([0-9]{10})\.pt")
_UNFINISHED = ".unfinished"
_FIELDS = ("step", "epoch", "index", "model", "optimizer", "extra")


@dataclass
class Checkpoint:
    """The state after ``step`` steps.

    Args:
        epoch: the epoch of the next step, from 0.
        index: the index of the next step in its epoch, from 0. With ``epoch`` it is all of the sampler's state.
        model: ``state_dict()`` of the model.
        optimizer: ``state_dict()`` of the optimizer.
        extra: tensors, numbers, strings, and lists and dictionaries of them.
    """

    step: int
    epoch: int
    index: int
    model: dict[str, Any]
    optimizer: dict[str, Any]
    extra: dict[str, Any] = field(default_factory=dict)


def save(folder: Path, checkpoint: Checkpoint) -> Path:
    """Write the checkpoint, then remove all but the newest two; its file. EngineError where the disk refuses.

    A concurrent reader, or one after a power failure, finds it complete or not at all.
    """
    path = folder / f"step-{checkpoint.step:010}.pt"
    unfinished = path.with_name(f"{path.name}{_UNFINISHED}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            torch.save({name: getattr(checkpoint, name) for name in _FIELDS}, file)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
        _sync(folder)
        _remove_old(folder)
    except (OSError, RuntimeError) as error:  # PyTorch says RuntimeError for a disk that is full
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise EngineError(f"cannot write checkpoint {path}: {reason}; make room or mend the disk.") from error
    return path


def steps(folder: Path) -> list[int]:
    """Return the steps after which there is a checkpoint, ascending; empty if the folder is missing."""
    if not folder.is_dir():
        return []
    return sorted(int(found[1]) for path in folder.iterdir() if (found := _NAME.fullmatch(path.name)))


def load(folder: Path, step: int) -> Checkpoint:
    """Load the checkpoint after ``step`` steps, on the CPU; EngineError if it is missing or broken."""
    path = folder / f"step-{step:010}.pt"
    try:
        with zipfile.ZipFile(path) as archive:  # torch.load does not look at the checksums
            if (spoiled := archive.testzip()) is not None:
                raise ValueError(f"{spoiled} has another checksum than when it was written")
        content = torch.load(path, map_location="cpu", weights_only=True)
        return Checkpoint(**{name: content[name] for name in _FIELDS})
    except FileNotFoundError as error:
        there = ", ".join(map(str, steps(folder))) or "none"
        raise EngineError(f"there is no checkpoint after step {step} in {folder}; there are: {there}.") from error
    except Exception as error:  # a broken pickle can raise nearly anything
        reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
        raise EngineError(f"checkpoint {path} is broken ({reason}); remove it to start from an older one.") from error


def _remove_old(folder: Path) -> None:
    for step in steps(folder)[:-KEPT]:
        (folder / f"step-{step:010}.pt").unlink(missing_ok=True)
    for path in folder.glob(f"*{_UNFINISHED}"):  # of a process that was killed
        path.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    """Let the new name outlive a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
