"""A model's forward and backward by torch.compile, and one sentence where that cannot work."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from ringscope.engine.errors import EngineError

_THREADS_VARIABLE = "TORCHINDUCTOR_COMPILE_THREADS"
_REMEDY = "leave compile out"


def compiled(module: torch.nn.Module, device: torch.device) -> torch.nn.Module:
    """Return the module to call; it compiles at its first calls, and shares the parameters of ``module``.

    EngineError if this node lacks the compiler that PyTorch needs for the device.
    """
    os.environ.setdefault(_THREADS_VARIABLE, "1")  # by default each rank would start a process for each core
    if (missing := _missing(device)) is not None:
        raise EngineError(f"compile: {missing}, or {_REMEDY}.")
    found: Any = torch.compile(module)
    wrapped: torch.nn.Module = found
    return wrapped


@contextmanager
def errors_as_sentences() -> Iterator[None]:
    """Raise what torch.compile raises in the block as an EngineError with one sentence."""
    from torch._dynamo.exc import TorchDynamoException

    try:
        yield
    except TorchDynamoException as error:
        raise EngineError(
            f"compile: torch.compile cannot compile this model ({_first_line(error)}); {_REMEDY}."
        ) from error


def _missing(device: torch.device) -> str | None:
    """Return what is missing and the remedy, without a full stop; None if the compiler is there."""
    if device.type == "cuda":
        from torch.utils._triton import has_triton

        return None if has_triton() else "this PyTorch has no Triton, which compiles for GPUs; install triton"
    from torch._inductor.cpp_builder import get_cpp_compiler

    try:
        get_cpp_compiler()
    except Exception:  # the class of this error has changed between versions
        return "there is no C++ compiler on this node, which torch.compile needs; install g++"
    return None


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].rstrip(".") if lines else type(error).__name__
