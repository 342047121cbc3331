"""The batches that a script takes from PyTorch's DataLoader: how many samples, and how long the rank waited for them.

Batches that are taken where no gradient is computed, as in validation, do not count.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

_MOST_DEPTH = 4
_SEQUENCES = (list, tuple)


class Samples:
    """Samples, and waiting time for them; ``begun_ns`` is when the first batch was asked for."""

    def __init__(self, fail: Callable[[Exception], None]) -> None:
        self.is_off = False
        self.count = self.waited_ns = 0
        self.begun_ns: int | None = None
        self.has_loader = False
        self._fail, self._main = fail, threading.main_thread().ident
        self._torch: Any = None

    def wrap(self, module: ModuleType) -> None:
        """Replace the step of the iterators of ``torch.utils.data.dataloader``."""
        try:
            self._torch = module.torch
            kind = module._BaseDataLoaderIter
            take, clock = kind.__next__, time.perf_counter_ns

            @functools.wraps(take)
            def take_batch(iterator: Any) -> Any:
                if self.is_off:
                    return take(iterator)
                since_ns = clock()
                batch = take(iterator)
                self._note(batch, since_ns, clock())
                return batch

            kind.__next__ = take_batch
        except Exception as error:
            self._fail(error)

    def _note(self, batch: Any, since_ns: int, until_ns: int) -> None:
        try:
            if threading.get_ident() != self._main or not self._torch.is_grad_enabled():
                return
            self.has_loader = True
            if self.begun_ns is None:
                self.begun_ns = since_ns
            self.waited_ns += until_ns - since_ns
            self.count += self._length(batch)
        except Exception as error:
            self._fail(error)

    def _length(self, batch: Any, depth: int = 0) -> int:
        """Return the first dimension of the first tensor in a batch; 0 if there is none near its top."""
        if isinstance(batch, self._torch.Tensor):
            return int(batch.size(0)) if batch.dim() else 1
        is_sequence = isinstance(batch, _SEQUENCES)
        if depth < _MOST_DEPTH and (is_sequence or isinstance(batch, Mapping)):
            for one in batch if is_sequence else batch.values():
                if length := self._length(one, depth + 1):
                    return length
        return 0
