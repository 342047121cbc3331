"""Four gloo ranks as forks of one process that has loaded PyTorch, watched until they end or stall."""

import ctypes
import faulthandler
import multiprocessing as mp
import os
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

RANKS = 4
STALL_S = 2.0  # without progress of any rank: a hang
_POLL_S = 0.02

Body = Callable[[int, Callable[[], None]], None]


@dataclass(frozen=True)
class Recorded:
    """The dumps of a run as pickle and as JSON, by their file names; ``stalled_at`` is when the last rank went on."""

    pickles: dict[str, bytes]
    texts: dict[str, bytes]
    stalled_at: float


class _Shared:
    """Memory that the ranks and their parent share: counters, times of the last progress, the request to dump."""

    def __init__(self, context: Any) -> None:
        self.counts = context.RawArray(ctypes.c_long, RANKS)
        self.times = context.RawArray(ctypes.c_double, RANKS)
        self.ended = context.RawArray(ctypes.c_bool, RANKS)
        self.dump = context.RawValue(ctypes.c_bool)  # an event would wait for ranks that have crashed

    def step(self, rank: int) -> None:
        self.counts[rank] += 1
        self.times[rank] = time.monotonic()


def record(body: Body, buffer: int = 2000) -> Recorded:
    """Run ``body(rank, progress)`` on four ranks, and return their dumps once all have ended or none progresses."""
    _load()
    context = mp.get_context("fork")
    shared = _Shared(context)
    with tempfile.TemporaryDirectory(prefix="ringscope-hangs-") as folder:
        place = Path(folder)
        ranks = [context.Process(target=_rank, args=(rank, place, shared, body, buffer)) for rank in range(RANKS)]
        for process in ranks:
            process.start()
        try:
            _wait(shared)
            shared.dump.value = True
            for process in ranks:
                process.join(20)
        finally:
            for process in ranks:
                if process.is_alive():
                    process.kill()
                process.join()
        print(*[f"{p.name}: {p.read_text()[:150]}" for p in sorted(place.glob("error_*"))], sep="\n") if os.environ.get(
            "SHOW"
        ) else None
        stalled_at = max(shared.times)
        pickles = {path.name: path.read_bytes() for path in sorted(place.glob("dump_?"))}
        texts = {path.name: path.read_bytes() for path in sorted(place.glob("dump_?.json"))}
        return Recorded(pickles, texts, stalled_at)


@cache
def _load() -> None:
    """Load PyTorch and its reader of stacks, which takes seconds of CPU at its first use: the ranks are forks."""
    import torch.distributed  # noqa: F401 - the ranks use it
    from torch.utils._traceback import CapturedTraceback

    CapturedTraceback.extract(script=False, cpp=False).summary()


def _wait(shared: _Shared) -> None:
    """Return once all ranks have ended, or no rank has progressed for a while."""
    last, since = [0] * RANKS, time.monotonic() + 60  # starting takes longer than any step
    while not all(shared.ended) and time.monotonic() < since + STALL_S:
        now = list(shared.counts)
        if now != last:
            last, since = now, time.monotonic()
        time.sleep(_POLL_S)


def _rank(rank: int, place: Path, shared: _Shared, body: Body, buffer: int) -> None:
    os.environ |= {"TORCH_FR_BUFFER_SIZE": str(buffer), "OMP_NUM_THREADS": "1"}
    faulthandler.disable()  # gloo aborts a rank that gets another size than it expects
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)  # the others' complaints when a rank ends
    import torch.distributed as dist

    def work() -> None:
        try:
            dist.init_process_group(
                "gloo", init_method=f"file://{place}/store", rank=rank, world_size=RANKS, timeout=timedelta(minutes=5)
            )
            body(rank, lambda: shared.step(rank))
        except Exception as error:  # a peer has ended, or sent another size
            (place / f"error_{rank}").write_text(str(error))
        shared.ended[rank] = True

    threading.Thread(target=work, daemon=True).start()
    until = time.monotonic() + 120
    while not shared.dump.value and time.monotonic() < until:
        time.sleep(_POLL_S)
    from torch._C._distributed_c10d import _dump_fr_trace, _dump_fr_trace_json  # type: ignore[attr-defined]

    (place / f"dump_{rank}").write_bytes(_dump_fr_trace())
    (place / f"dump_{rank}.json").write_bytes(_dump_fr_trace_json())
    os._exit(0)
