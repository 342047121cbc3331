"""Checkpoints: everything that training needs to continue from a step, one file each, written atomically."""

import os
import re
import zipfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from ringscope.engine.errors import EngineError

KEPT = 2  # the newest one, and the previous one in case the disk corrupted the newest
_NAME = re.compile(r"step-([0-9]{10})\.pt")
_UNFINISHED = ".unfinished"
_FIELDS = ("step", "epoch", "index", "model", "optimizer", "extra")


@dataclass
class Checkpoint:
    """The state after ``step`` steps.

    Args: epoch: the epoch of the next step, from 0. index: the index of the next step in its epoch, from 0. With
    ``epoch`` it is the complete state of the sampler. model: ``state_dict()`` of the model. optimizer: ``state_dict()``
    of the optimizer. extra: tensors, numbers, strings, and lists and dictionaries of them.
    """

    step: int
    epoch: int
    index: int
    model: dict[str, Any]
    optimizer: dict[str, Any]
    extra: dict[str, Any] = field(default_factory=dict)


def save(folder: Path, checkpoint: Checkpoint, *, is_durable: bool = True, kept: int = KEPT) -> Path:
    """Write the checkpoint, then remove all except the newest ``kept``; return its file. EngineError if the disk fails.

    A concurrent reader finds it complete or not at all; if it is durable, so does a reader after a power failure.
    """
    path = folder / f"step-{checkpoint.step:010}.pt"
    unfinished = path.with_name(f"{path.name}{_UNFINISHED}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            torch.save({name: getattr(checkpoint, name) for name in _FIELDS}, file)
            if is_durable:
                file.flush()
                os.fsync(file.fileno())
        unfinished.replace(path)
        if is_durable:
            _sync(folder)
        _remove_old(folder, kept)
    except (OSError, RuntimeError) as error:  # PyTorch raises RuntimeError for a full disk
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise EngineError(f"cannot write checkpoint {path}: {reason}; free space or repair the disk.") from error
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
        with zipfile.ZipFile(path) as archive:  # torch.load does not verify the checksums
            if (spoiled := archive.testzip()) is not None:
                raise ValueError(f"{spoiled} does not match its checksum")
        content = torch.load(path, map_location="cpu", weights_only=True)
        return Checkpoint(**{name: content[name] for name in _FIELDS})
    except FileNotFoundError as error:
        there = ", ".join(map(str, steps(folder))) or "none"
        raise EngineError(f"there is no checkpoint after step {step} in {folder}; existing ones: {there}.") from error
    except Exception as error:  # a broken pickle can raise almost any exception
        reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
        raise EngineError(f"checkpoint {path} is broken ({reason}); remove it to start from an older one.") from error


def remove_all(folder: Path) -> None:
    """Remove all checkpoints of a folder."""
    for step in steps(folder):
        (folder / f"step-{step:010}.pt").unlink(missing_ok=True)


def _remove_old(folder: Path, kept: int) -> None:
    for step in steps(folder)[:-kept]:
        (folder / f"step-{step:010}.pt").unlink(missing_ok=True)
    for path in folder.glob(f"*{_UNFINISHED}"):  # temporary files of a process that was killed
        path.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    """Make the new name survive a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
