"""Detects the collective in which a script's rank is, by a look at its main thread's current line once a second.

The engine knows its own calls. A script that calls mpi4py itself does not report its calls, so that others could wait
unnoticed for a rank whose program has ended. Only collectives over all ranks count that no rank can leave before every
rank has entered: a rank in one of them waits in vain for a rank whose program has ended. ``torch_waits`` knows those of
torch.distributed.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
import threading
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from types import CodeType, FrameType, ModuleType
from typing import TYPE_CHECKING, Any

from ringscope.contracts.words.waits import COLLECTIVES
from ringscope.engine.positions import COLLECTIVE

if TYPE_CHECKING:
    from ringscope.engine.positions import Slot
    from ringscope.rank.torch_waits import TorchWaits

LOOK_SECONDS = 1.0


class CollectiveWatch:
    """A thread that looks at the main thread until it is closed, and writes to the rank's position."""

    def __init__(
        self, position: Slot, torch_waits: TorchWaits | None = None, look: Callable[[], None] | None = None
    ) -> None:
        """``look`` is also called at each look."""
        self._position, self._torch_waits, self._look = position, torch_waits, look
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="collective watch", daemon=True)

    def __enter__(self) -> CollectiveWatch:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_over.set()
        self._thread.join()
        self._position[COLLECTIVE] = 0

    def _run(self) -> None:
        while not self._is_over.wait(LOOK_SECONDS):
            frame = sys._current_frames().get(threading.main_thread().ident or 0)
            name = collective_of(frame) or (self._torch_waits.look(frame) if self._torch_waits else "")
            del frame  # it would keep what the script holds
            self._position[COLLECTIVE] = COLLECTIVES.index(name) + 1 if name else 0
            if self._look is not None:
                self._look()


def collective_of(frame: FrameType | None) -> str:
    """Return the name of the collective over all ranks that the frame calls now, such as "Allreduce"; else ""."""
    mpi = sys.modules.get("mpi4py.MPI")
    called = _called(frame.f_code, frame.f_lasti) if frame is not None and mpi is not None else None
    if mpi is None or frame is None or called is None:
        return ""
    owner, name = called
    found = _value(frame, owner)
    return name if isinstance(found, mpi.Comm) and found == mpi.COMM_WORLD else ""


@lru_cache(maxsize=256)
def _called(code: CodeType, at: int) -> tuple[tuple[str, ...], str] | None:
    """Return the names before the last dot of the call at this instruction, and the collective; None for any other."""
    lines = next(islice(code.co_positions(), at // 2, None), None)
    if lines is None or None in lines:
        return None
    first, last, begin, end = (number or 0 for number in lines)
    text = [linecache.getline(code.co_filename, line).encode() for line in range(first, last + 1)]
    text[-1] = text[-1][:end]
    text[0] = text[0][begin:]
    try:
        call = ast.parse(b"".join(text).decode(errors="replace"), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    name, owner, names = call.func.attr, call.func.value, []
    while isinstance(owner, ast.Attribute):
        names.append(owner.attr)
        owner = owner.value
    if name not in COLLECTIVES or not isinstance(owner, ast.Name):
        return None
    return (owner.id, *reversed(names)), name


def _value(frame: FrameType, names: tuple[str, ...]) -> Any:
    """Return the object with the dotted name in the frame; no code of the script runs, so a property gives None."""
    first, *others = names
    value = frame.f_locals.get(first, frame.f_globals.get(first))
    for name in others:
        found = vars(value).get(name) if isinstance(value, ModuleType) else inspect.getattr_static(value, name, None)
        value = None if isinstance(found, property) else found
    return value
