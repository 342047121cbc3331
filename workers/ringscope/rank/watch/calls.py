"""The collectives that a script calls through torch.distributed: their number, size, and the time in them.

Each function is replaced by one that passes arguments, results and errors through and reads the clock before and after.
A collective that another one calls is a part of it. A call with ``async_op`` only begins its operation; the rank waits
for it in ``Work.wait``.
"""

from __future__ import annotations

import functools
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ringscope.rank.watch.size_classes import SizeClasses

# Where the argument is whose bytes count: the larger side of a collective, as nccl-tests counts; None for a barrier.
PLACES: dict[str, tuple[int, str] | None] = {
    "all_reduce": (0, "tensor"),
    "all_reduce_coalesced": (0, "tensors"),
    "broadcast": (0, "tensor"),
    "reduce": (0, "tensor"),
    "all_gather": (0, "tensor_list"),
    "all_gather_single": (0, "output_tensor"),
    "all_gather_into_tensor": (0, "output_tensor"),
    "gather": (0, "tensor"),
    "scatter": (0, "tensor"),
    "reduce_scatter": (1, "input_list"),
    "reduce_scatter_single": (1, "input"),
    "reduce_scatter_tensor": (1, "input"),
    "all_to_all_single": (1, "input"),
    "all_to_all": (1, "input_tensor_list"),
    "barrier": None,
    "monitored_barrier": None,
}
OTHERS = "other sizes"
_MOST_KINDS = 500


class _Here(threading.local):
    is_inside = False


class Calls:
    """Totals of the collectives by name and size, and of the steps: bytes, and time in which the main thread waited."""

    def __init__(self, fail: Callable[[Exception], None]) -> None:
        self.is_off = False
        self.bytes = 0
        self.waited_ns = 0
        self.totals: defaultdict[tuple[str, int | str], list[int]] = defaultdict(lambda: [0, 0])  # calls, nanoseconds
        self.classes = SizeClasses()
        self._fail, self._here, self._main = fail, _Here(), threading.main_thread().ident
        self._tensor: type = type(None)

    def wrap(self, module: ModuleType) -> None:
        """Replace the functions of ``torch.distributed.distributed_c10d``."""
        try:
            self._tensor = module.torch.Tensor
            for name, place in PLACES.items():
                if callable(function := getattr(module, name, None)):
                    setattr(module, name, self._timed(function, name, place))
            module.Work.wait = self._timed(module.Work.wait, "", None)
        except Exception as error:
            self._fail(error)

    def note(self, name: str, size_bytes: int, took_ns: int | None) -> None:
        """Count a collective that was seen elsewhere; the main thread has not waited for it in a call."""
        self.totals[self._kind(name, size_bytes)][0] += 1
        self.classes.add(name, size_bytes, took_ns)

    def _timed(self, function: Callable[..., Any], name: str, place: tuple[int, str] | None) -> Callable[..., Any]:
        here, clock = self._here, time.perf_counter_ns

        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            if here.is_inside or self.is_off:
                return function(*arguments, **named)
            here.is_inside = True
            since_ns = clock()
            result = None
            try:
                result = function(*arguments, **named)
                return result
            finally:
                here.is_inside = False
                self._end(name, place, arguments, named, result, clock() - since_ns)

        return call

    def _end(
        self,
        name: str,
        place: tuple[int, str] | None,
        arguments: tuple[Any, ...],
        named: dict[str, Any],
        result: Any,
        took_ns: int,
    ) -> None:
        try:
            is_begun_only = bool(name) and result is not None
            if not is_begun_only and threading.get_ident() == self._main:
                self.waited_ns += took_ns
            if name:
                size_bytes = 0
                if place is not None:
                    at, word = place
                    value = arguments[at] if at < len(arguments) else named.get(word)
                    size_bytes = self._bytes(value)
                    is_begun_only = is_begun_only or not self._is_on_cpu(value)
                self.bytes += size_bytes
                total = self.totals[self._kind(name, size_bytes)]
                total[0] += 1
                total[1] += 0 if is_begun_only else took_ns
                self.classes.add(name, size_bytes, None if is_begun_only else took_ns)
        except Exception as error:
            self._fail(error)

    def _kind(self, name: str, size_bytes: int) -> tuple[str, int | str]:
        kind = name, size_bytes
        return kind if kind in self.totals or len(self.totals) < _MOST_KINDS else (name, OTHERS)

    def _is_on_cpu(self, value: Any) -> bool:
        """Return whether the call ends with its operation; that of a GPU only puts it into the device's queue."""
        while isinstance(value, list | tuple) and value:
            value = value[0]
        return bool(getattr(value, "is_cpu", True))

    def _bytes(self, value: Any) -> int:
        if isinstance(value, self._tensor):
            size = value.numel() * value.element_size()  # type: ignore[attr-defined]
            return size if type(size) is int else 0  # a traced tensor has a symbol
        return sum(map(self._bytes, value)) if isinstance(value, list | tuple) else 0
