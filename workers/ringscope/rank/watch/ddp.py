"""The gradient sums of DistributedDataParallel, which its C++ reducer makes: what its own log of times says.

The reducer notes its times for the first ten steps and then for one of a hundred. On CPUs, where the clock costs
nothing, it is asked to note them as often as they are read; on GPUs it would have to wait for the device, so the rest
is not known there. A reading takes about 0.1 ms, because the reducer copies its whole log.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of a step: the time in which they were under way, the time after backward had computed, the bytes."""

    communication_ns: int = 0
    exposed_ns: int = 0
    buckets: tuple[int, ...] = ()


NO_SUMS = Sums()


class DdpLog:
    """The models of this process that DistributedDataParallel wraps."""

    def __init__(self, fail: Callable[[Exception], None]) -> None:
        self._fail = fail
        self._models: list[weakref.ref[Any]] = []
        self.every = 1
        self._has_gpu = False
        self._seen: dict[int, int] = {}  # the iteration whose times were read, by the model's id

    @property
    def knows_all(self) -> bool:
        """Return whether the steps between two readings are like those that were read, and not just unknown."""
        return not self._has_gpu

    def note_every(self, steps: int) -> None:
        """Let the reducers on CPUs note their times once in so many steps."""
        if steps != self.every:
            self.every = steps
            for model in (one for ref in self._models if (one := ref()) is not None):
                self._set_rate(model)

    @property
    def has_models(self) -> bool:
        """Return whether there is a model now."""
        return any(model() is not None for model in self._models)

    def wrap(self, module: ModuleType) -> None:
        """Note each model that ``torch.nn.parallel.distributed`` makes from now on."""
        try:
            kind = module.DistributedDataParallel
            make = kind.__init__

            @functools.wraps(make)
            def init(model: Any, *arguments: Any, **named: Any) -> None:
                make(model, *arguments, **named)
                self._add(model)

            kind.__init__ = init
        except Exception as error:
            self._fail(error)

    def read(self) -> Sums:
        """Return the sums of the last iteration whose times are known and were not read yet.

        It takes the reducer's lock: call it outside of a backward only.
        """
        found = NO_SUMS
        for model in [one for ref in self._models if (one := ref()) is not None]:
            log = vars(model).get("logger")
            if log is None:
                continue
            data = log._get_ddp_logging_data()
            numbers, texts = data.ints_map, data.strs_map
            iteration = numbers.get("iteration", 0)
            if iteration == self._seen.get(id(model), 0):
                continue
            self._seen[id(model)] = iteration
            whole_ns = max(0, numbers.get("backward_comm_time", 0))
            hidden_ns = min(whole_ns, max(0, numbers.get("backward_compute_comm_overlap_time", 0)))
            hook = texts.get("comm_hook", "")
            is_counted = not hook or hook.startswith(("BuiltinCommHookType", "ddp_hook"))
            sizes = texts.get("rebuilt_bucket_sizes") or texts.get("bucket_sizes") or ""
            found = Sums(
                found.communication_ns + whole_ns,
                found.exposed_ns + whole_ns - hidden_ns,
                (*found.buckets, *(int(size) for size in sizes.split(",") if is_counted and size.strip())),
            )
        return found

    def _add(self, model: Any) -> None:
        try:
            self._models = [ref for ref in self._models if ref() is not None]
            self._models.append(weakref.ref(model))
            self._set_rate(model)
        except Exception as error:
            self._fail(error)

    def _set_rate(self, model: Any) -> None:
        parameter = next(model.parameters(), None)
        if parameter is not None and parameter.device.type == "cpu":
            model._set_ddp_runtime_logging_sample_rate(self.every)
        else:
            self._has_gpu = True
