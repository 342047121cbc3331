"""Ringscope: all-reduce benchmarks on a ring engine, scheduled, measured and shown live."""

from typing import TYPE_CHECKING, Any

from ringscope.contracts.words.version import __version__

if TYPE_CHECKING:
    from ringscope.rank.api import (
        Communicator,
        DistributedOptimizer,
        EngineError,
        LostRankError,
        StalledError,
        all_reduce,
        empty,
        free,
        init,
        lent,
        log_step,
        tune,
    )

__all__ = [
    "Communicator",
    "DistributedOptimizer",
    "EngineError",
    "LostRankError",
    "StalledError",
    "__version__",
    "all_reduce",
    "empty",
    "free",
    "init",
    "lent",
    "log_step",
    "tune",
]


def __getattr__(name: str) -> Any:
    """Load the engine, and with it MPI and NumPy, when it is first used: server and CLI import this package too."""
    if name not in __all__:
        raise AttributeError(f"module 'ringscope' has no attribute {name!r}")
    from ringscope.rank import api

    return getattr(api, name)
