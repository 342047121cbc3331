"""The public Python interface, on top of one communicator per process.

Inside ``mpiexec`` or a job every rank makes the same calls in the same order:

    import ringscope
    comm = ringscope.init()
    x = ringscope.empty((1 << 20,), "float32")
    x.fill(comm.rank)
    ringscope.all_reduce(x)

Bad arguments, and arguments that differ between ranks, raise ``EngineError`` with one sentence.
"""

from ringscope.transports.base import DEFAULT_TIMEOUT_SECONDS, Array, EngineError, LostRankError, StalledError
from ringscope.transports.communicator import Communicator
from ringscope.tuning_file import default_path, read

__all__ = ["Communicator", "EngineError", "LostRankError", "StalledError", "all_reduce", "empty", "init"]

_communicator: Communicator | None = None


def init(transport: str = "auto", timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS) -> Communicator:
    """The communicator of all ranks; connects them at the first call (collective), which fixes the arguments.

    ``transport`` is auto, shared_memory (all ranks on one node) or mpi. A rank that waits longer than
    ``timeout_seconds`` for another one raises StalledError, which names that rank and the step; LostRankError, which is
    one, at once where its process has ended. After it only the end of the program can follow, which ends all ranks.
    ``Communicator.split`` makes smaller groups.
    """
    global _communicator
    if _communicator is None:
        _communicator = Communicator(transport, timeout_seconds, table=lambda: read(default_path()))
    return _communicator


def empty(shape: int | tuple[int, ...], dtype: str = "float32") -> Array:
    """A zeroed array in registered memory, which travels without a copy (collective, equal on every rank).

    It lives as long as the communicator: allocate once and reuse.
    """
    return init().empty(shape, dtype)


def all_reduce(x: Array, op: str = "sum", algorithm: str = "auto", out: Array | None = None) -> Array:
    """Combine ``x`` of all ranks element by element; every rank gets the result (collective).

    ``x`` is a contiguous array of any shape: int8, uint8, int32, uint32, int64, uint64, float16, bfloat16 (ml_dtypes),
    float32, float64, complex64 or complex128. The result goes to ``out``, or into ``x`` itself without one, and is
    returned.

    ``op`` is sum, prod, min, max or avg; integers wrap around, and their avg is cut towards zero; complex numbers have
    sum and avg only. ``algorithm`` is one of ``ringscope.algorithms.SCHEDULES``, mpi, or auto, which takes the fastest
    for this size: by what `ringscope tune` measured on this machine, else by the cost model.
    """
    return init().all_reduce(x, op, algorithm, out)
