"""Exit of a program whose ranks are out of step: it aborts all ranks, because MPI_Finalize would wait for ever."""

import atexit
import sys
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import TypeVar

from ringscope.engine.base import CapturedPlan, EnqueuedPlan, LibraryPlan, Plan, TraceablePlan
from ringscope.engine.errors import EngineError, RefusedError
from ringscope.engine.transports.mpi import abort, is_over

Result = TypeVar("Result")
_failed: list[BaseException] = []  # an uncaught exception


def end_all() -> None:
    """Abort all ranks when this program ends, because they are out of step from now on."""
    atexit.register(abort, 1)


def end_alone() -> None:
    """Undo ``end_all``: the ranks are in step again."""
    atexit.unregister(abort)


def end_all_on_failure() -> None:
    """Let an uncaught exception abort all ranks, because MPI_Finalize would wait for them."""
    show = sys.excepthook

    def end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        show(kind, error, trace)
        _failed.append(error)
        end_all()

    sys.excepthook = end


def at_end(call: Callable[[], None], rank: int) -> None:
    """Register a function to call when this program ends normally; an EngineError in it ends all ranks with its
    message.
    """

    def run() -> None:
        if _failed or is_over():  # a program may have finalized MPI itself
            return
        try:
            call()
        except EngineError as error:
            end_now(rank, error)

    atexit.register(run)


def end_now(rank: int, error: EngineError) -> None:
    """End all ranks, with this rank's message on standard error."""
    sys.stderr.write(f"rank {rank}: {error}\n")
    sys.stderr.flush()
    abort(1)


def guarded(plan: Plan) -> Plan:
    """Return the same plan, but an error in it ends all ranks when this program ends. This costs about 50 ns a call."""
    if isinstance(plan, EnqueuedPlan):
        return _CapturedGuarded(plan) if isinstance(plan, CapturedPlan) else _EnqueuedGuarded(plan)
    return _TraceableGuarded(plan) if isinstance(plan, TraceablePlan) else _Guarded(plan)


class _Guarded:
    """Functions instead of methods save a call."""

    def __init__(self, plan: Plan) -> None:
        self.run = _watched(plan.run)
        self.free = plan.free
        if isinstance(plan, LibraryPlan):
            self.function = plan.function


class _TraceableGuarded(_Guarded):
    def __init__(self, plan: TraceablePlan) -> None:
        super().__init__(plan)
        self.trace = _watched(plan.trace)


class _EnqueuedGuarded(_Guarded):
    def __init__(self, plan: EnqueuedPlan) -> None:
        super().__init__(plan)
        self.clock = plan.clock
        self.enqueue = _watched(plan.enqueue)
        self.wait = _watched(plan.wait)


class _CapturedGuarded(_EnqueuedGuarded):
    def __init__(self, plan: CapturedPlan) -> None:
        super().__init__(plan)
        self._capture = plan.capture

    def capture(self, calls: Callable[[], None], name: str) -> Callable[[], None]:
        captured = _watched(partial(self._capture, calls, name))
        return _watched(captured())


def _watched(call: Callable[[], Result]) -> Callable[[], Result]:
    def watched() -> Result:
        try:
            return call()
        except EngineError as error:
            if not isinstance(error, RefusedError):  # no part of the call had started
                end_all()
            raise

    return watched
