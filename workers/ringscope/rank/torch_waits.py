"""Detects the collective of torch.distributed over all ranks in which a script's main thread is blocked.

The thread's frames say which one, without a call into PyTorch. It counts only if the thread has used no CPU since the
last look, because a script of short steps is in a collective at almost every look. A wait that uses the CPU, such as
for a GPU, is not found.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import FrameType, ModuleType

from ringscope.contracts.words.waits import torch_wait

_C10D = "torch.distributed.distributed_c10d"
_BACKWARD = "_engine_run_backward"  # Python's last frame in a backward
_MOST_CPU_SECONDS = 0.001
_MOST_FRAMES = 12


class TorchWaits:
    """Looks at the main thread of a script on ``ranks`` ranks."""

    def __init__(self, ranks: int, has_ddp: Callable[[], bool]) -> None:
        self._ranks, self._has_ddp = ranks, has_ddp
        self._clock = time.pthread_getcpuclockid(threading.main_thread().ident or 0)
        self._used_seconds = 0.0

    def look(self, frame: FrameType | None) -> str:
        """Return the collective in which the thread has been blocked since the last look, or empty."""
        used_seconds = time.clock_gettime(self._clock)
        is_idle = used_seconds - self._used_seconds < _MOST_CPU_SECONDS
        self._used_seconds = used_seconds
        module = sys.modules.get(_C10D)
        if not is_idle or module is None or frame is None or not self._is_of_all(module):
            return ""
        if frame.f_code.co_name == _BACKWARD and self._has_ddp():
            return torch_wait("backward")
        return collective_of(frame, module)

    def _is_of_all(self, module: ModuleType) -> bool:
        """Return whether the default group has all ranks of the job; a part of this module may still be loading."""
        try:
            return bool(module.is_initialized() and module.get_world_size() == self._ranks)
        except (AttributeError, ValueError, RuntimeError):
            return False


def collective_of(frame: FrameType | None, module: ModuleType) -> str:
    """Return the collective of the default group that is among the innermost frames; empty if there is none."""
    found = ""
    for _ in range(_MOST_FRAMES):
        if frame is None:
            break
        code = frame.f_code
        if code.co_filename == module.__file__ and (name := torch_wait(code.co_name)):
            group = frame.f_locals.get("group")
            found = name if group is None or group is module.GroupMember.WORLD else ""
        frame = frame.f_back
    return found
