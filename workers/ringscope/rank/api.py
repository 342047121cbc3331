"""The public Python interface, on top of one communicator per process.

Inside ``mpiexec`` or a job every rank makes the same calls in the same order:

    import ringscope
    comm = ringscope.init()
    x = ringscope.empty((1 << 20,), "float32")
    x.fill(comm.rank)
    ringscope.all_reduce(x)

A script that trains with PyTorch wraps its optimizer, and in a job of kind script logs its steps:

    optimizer = ringscope.DistributedOptimizer(optimizer, model)
    ringscope.log_step(loss=loss.item(), samples=len(batch))

A script with DistributedDataParallel sums its gradients by the engine with one line:

    model.register_comm_hook(None, ringscope.ddp_hook)

Bad arguments, and arguments that differ between ranks, raise ``EngineError`` with one sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from ringscope.choice.situation import Choice
from ringscope.contracts.record import Record
from ringscope.engine.base import DEFAULT_TIMEOUT_SECONDS, Array
from ringscope.engine.communicator import Communicator
from ringscope.engine.errors import EngineError, LostRankError, StalledError
from ringscope.engine.exit_hook import at_end, end_all_on_failure
from ringscope.rank.machine import table_here

if TYPE_CHECKING:
    import torch

    from ringscope.rank.step_log import StepLog
    from ringscope.train.scripts.ddp_hook import Hook
    from ringscope.train.scripts.distributed_optimizer import DistributedOptimizer as _DistributedOptimizer
    from ringscope.train.scripts.gradients import Gradients

__all__ = [
    "Communicator",
    "DistributedOptimizer",
    "EngineError",
    "LostRankError",
    "StalledError",
    "all_reduce",
    "ddp_hook",
    "empty",
    "free",
    "init",
    "lent",
    "log_step",
    "tune",
]

_communicator: Communicator | None = None
_step_log: StepLog | None = None
_gradients: Gradients | None = None
if TYPE_CHECKING:
    ddp_hook: Hook


def __getattr__(name: str) -> Any:
    """Make the hook of DistributedDataParallel when it is first used, because it needs PyTorch."""
    if name != "ddp_hook":
        raise AttributeError(f"module 'ringscope.rank.api' has no attribute {name!r}")
    try:
        from ringscope.train.scripts.ddp_hook import hook_of
    except ImportError as error:
        raise EngineError(
            f"ddp_hook needs PyTorch, which cannot be imported ({error}); pip install 'ringscope[train]'."
        ) from error
    globals()[name] = made = hook_of(init)
    return made


def init(
    transport: str = "auto", timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS, channels: int | None = None
) -> Communicator:
    """Return the communicator of all ranks; the first call connects them (collective) and fixes the arguments.

    ``transport`` is auto, shared_memory (all ranks on one node) or mpi. A rank that waits longer than
    ``timeout_seconds`` for another one raises StalledError, which names that rank and the step; if its process has
    ended, it raises LostRankError, a subclass, at once. After such an error the program must end, which ends all ranks.
    ``Communicator.split`` makes smaller groups. ``channels`` is the channel count of rings and trees; each channel
    leaves a node through a different rank. None: on GPUs of several nodes one for each rank of a node, otherwise 1.
    """
    global _communicator
    if _communicator is None:
        _communicator = Communicator(transport, timeout_seconds, table=table_here, channels=channels)
        end_all_on_failure()
    return _communicator


def empty(shape: int | tuple[int, ...], dtype: str = "float32") -> Array:
    """Return a zeroed array in registered memory, which is sent without a copy (collective, equal on every rank).

    Its memory is reused once every rank has dropped the array and all views of it; ``free`` and ``lent`` release it
    earlier. Contiguous parts of it are registered, too.
    """
    return init().empty(shape, dtype)


def free(x: Array) -> None:
    """Free an array of ``empty`` now (collective); neither it nor a view of it may be used afterwards."""
    init().give_back(x)


def lent(shape: int | tuple[int, ...], dtype: str = "float32") -> AbstractContextManager[Array]:
    """Lend an array of ``empty`` that is freed at the end of the block: ``with ringscope.lent(1024) as x:``
    (collective).
    """
    return init().lent(shape, dtype)


def all_reduce(x: Array, op: str = "sum", algorithm: str = "auto", out: Array | None = None) -> Array:
    """Combine ``x`` of all ranks element by element; every rank gets the result (collective).

    ``x`` is a contiguous array of any shape: int8, uint8, int32, uint32, int64, uint64, float16, bfloat16 (ml_dtypes),
    float32, float64, complex64 or complex128. The result goes to ``out``, or into ``x`` itself without one, and is
    returned.

    ``op`` is sum, prod, min, max or avg; integers wrap around, and their avg is truncated towards zero; complex numbers
    support only sum and avg. ``algorithm`` is one of ``ringscope.schedules.algorithms.SCHEDULES``, mpi, or auto, which
    chooses the fastest for this size: by the measurements of `ringscope tune` on this machine or of ``tune`` in this
    program, else by the cost model with the machine's speed that an agent, `ringscope bench` or `ringscope tune`
    measured.
    """
    return init().all_reduce(x, op, algorithm, out)


def tune(x: Array, op: str = "sum", out: Array | None = None) -> Choice:
    """Time which algorithm is fastest for arrays like ``x``, and store the result for ``auto`` (collective).

    This takes tenths of a second, or about two calls of each algorithm if they are long, in separate memory: ``x`` is
    not changed. The result has ``algorithm`` and ``because``. Sums in different orders may differ in their last digits,
    so two runs of a program that tunes may differ, too.
    """
    return init().tune(x, op, out)


def DistributedOptimizer(  # noqa: N802 (known by this name to users of Horovod)
    optimizer: torch.optim.Optimizer,
    model: torch.nn.Module,
    algorithm: str = "auto",
    bucket_bytes: int = 25 << 20,
    overlap: bool = True,
) -> _DistributedOptimizer:
    """Make a PyTorch ``optimizer`` use the mean of the gradients over all ranks, and return it (collective).

    All ranks begin with rank 0's parameters. Gradients are summed in buckets of ``bucket_bytes`` while backward still
    runs, unless ``overlap`` is false, and ``.grad`` is their mean when backward returns. Put its ``accumulate`` around
    every backward of a step except the last. Objects that already hold the optimizer, such as a scheduler, need no
    change. EngineError if PyTorch is missing, or if the ranks would diverge.
    """
    try:
        from ringscope.train.scripts.distributed_optimizer import distribute
    except ImportError as error:
        raise EngineError(
            f"DistributedOptimizer needs PyTorch, which cannot be imported ({error}); pip install 'ringscope[train]'."
        ) from error
    return distribute(gradients(), optimizer, model, algorithm, bucket_bytes, overlap)


def gradients() -> Gradients:
    """Return the gradients that all optimizers of this process share; the first call is collective."""
    global _gradients
    from ringscope.train.scripts.gradients import Gradients

    if _gradients is None:
        _gradients = Gradients(init())
        if _step_log is None and init().gpu is None:  # a job closes it itself; the thread of a GPU has ended by then
            at_end(_gradients.end, init().rank)
    if _step_log is not None:
        _step_log.gradients = _gradients
    return _gradients


def is_connected() -> bool:
    """Return whether ``init`` has connected the ranks."""
    return _communicator is not None


def log_step(
    *,
    loss: float | None = None,
    samples: int | None = None,
    duration_us: float | None = None,
    compute_us: float | None = None,
    input_us: float | None = None,
    communication_us: float | None = None,
    exposed_us: float | None = None,
    size_bytes: int | None = None,
) -> None:
    """Report that this rank has ended a step, for the job's page and its metrics; outside a job nothing happens.

    ``loss`` is the mean over this rank's ``samples``. Without ``duration_us`` the duration counts from the previous
    step, and the times of the sums come from the DistributedOptimizer. ``input_us`` is how long the rank waited for its
    samples; nothing else knows that, because all work of a script between two steps looks alike. ``size_bytes`` is the
    data that the rank contributed.
    """
    if _step_log is not None:
        _step_log.log(loss, samples, duration_us, compute_us, input_us, communication_us, exposed_us, size_bytes)


def reports() -> Callable[[Record], None]:
    """Return the function that takes records of a training; it continues the numbers of an earlier one."""
    return _ignore if _step_log is None else _step_log.training()


def _ignore(record: Record) -> None:
    """Leave the record out: this is no job."""


def adopt(communicator: Communicator, step_log: StepLog) -> None:
    """Make ``init`` return a job's communicator, and send its steps to ``step_log``."""
    global _communicator, _step_log, _gradients
    _communicator, _step_log, _gradients = communicator, step_log, None
