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
        ddp_hook,
        empty,
        free,
        init,
        lent,
        log_step,
        tune,
    )
    from ringscope.rank.strategies import Strategy

    # The classes are made from the names of the strategies.
    MirroredStrategy = Strategy
    MultiWorkerMirroredStrategy = Strategy
    ParameterServerStrategy = Strategy
    LocalSgdStrategy = Strategy
    ShardedStrategy = Strategy
    PipelineStrategy = Strategy
    TensorStrategy = Strategy
    TorchDdpStrategy = Strategy
    TorchFsdpStrategy = Strategy
    TfMirroredStrategy = Strategy
    TfMultiWorkerMirroredStrategy = Strategy
    TfParameterServerStrategy = Strategy
    TpuStrategy = Strategy

_STRATEGY = "Strategy"  # ends the names of these classes
__all__ = [
    "Communicator",
    "DistributedOptimizer",
    "EngineError",
    "LocalSgdStrategy",
    "LostRankError",
    "MirroredStrategy",
    "MultiWorkerMirroredStrategy",
    "ParameterServerStrategy",
    "PipelineStrategy",
    "ShardedStrategy",
    "StalledError",
    "Strategy",
    "TensorStrategy",
    "TfMirroredStrategy",
    "TfMultiWorkerMirroredStrategy",
    "TfParameterServerStrategy",
    "TorchDdpStrategy",
    "TorchFsdpStrategy",
    "TpuStrategy",
    "__version__",
    "all_reduce",
    "ddp_hook",
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

    if name.endswith(_STRATEGY):
        from ringscope.rank import strategies

        return strategies.CLASSES.get(name) or getattr(strategies, name)
    return getattr(api, name)
