"""Memory growth: ranks whose memory rises steadily while they make steps, as from a leak. Pure.

Each pulse has the rank's memory without that of files and without shared memory, so that reading a mapped dataset is no
growth. Thirteen readings are kept, 5 s apart, and as many a minute apart for slower leaks. Memory grows steadily if
nearly every reading is above the one before it, and if it rises neither by a few jumps nor ever more slowly: libraries
and caches take what they need in the beginning, and then no more. Readings begin anew if the message size changes,
because a benchmark of larger sizes needs larger buffers.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ringscope.contracts.words.units import format_size
from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.windows import Sample, median_of

READINGS = 13
SCALES_SECONDS = (5, 60)  # between two readings
MIN_BYTES = 32 << 20  # the least growth over all readings
MIN_PART = 0.05  # the least growth, as a part of the first reading
MIN_RISING = 0.9  # the part of the readings that are above the one before
MIN_STEADY = 0.5  # the part of the growth that the median rise, and the second half compared with the first, must make
MAX_GAP = 3  # readings that may be missing between two, as during a checkpoint
MAX_RANKS_SHOWN = 64


@dataclass
class _Readings:
    """The last readings of a rank: times in seconds, and bytes."""

    size_bytes: int
    of_rank: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=READINGS))


@dataclass(frozen=True)
class Growth:
    """The steady growth of a rank."""

    rank: int
    node: str
    seconds: float
    growth_bytes: int
    memory_bytes: int  # at the last reading


class MemoryGrowth:
    """Takes pulses as they come, and returns what has grown whenever there is another reading."""

    def __init__(self) -> None:
        self._scales = {seconds: dict[int, _Readings]() for seconds in SCALES_SECONDS}
        self._growing: dict[tuple[int, int], Growth] = {}  # by scale and rank

    def add(self, samples: Mapping[int, Sample]) -> list[Finding] | None:
        """Take in the newest pulse of each rank; return the finding, if there is one, or None if there is no news."""
        is_new = False
        for seconds, ranks in self._scales.items():
            for rank, sample in samples.items():
                if not _is_at_steps(sample) or not _took(ranks, rank, sample, seconds):
                    continue
                is_new = True
                growth = _growth(rank, sample.node, ranks[rank].of_rank)
                if growth is None:
                    self._growing.pop((seconds, rank), None)
                else:
                    self._growing[seconds, rank] = growth
        return _findings(list(self._growing.values())) if is_new else None


def _is_at_steps(sample: Sample) -> bool:
    pulse = sample.pulse
    return pulse.anonymous_bytes is not None and pulse.iterations > 0 and not pulse.stage


def _took(ranks: dict[int, _Readings], rank: int, sample: Sample, seconds: int) -> bool:
    """Keep the sample if it is time for another reading of its rank; return whether it was kept."""
    pulse, now = sample.pulse, sample.time_us / 1e6
    known = ranks.get(rank)
    last = known.of_rank[-1][0] if known else now
    if known is None or known.size_bytes != pulse.size_bytes or not 0 <= now - last <= MAX_GAP * seconds:
        known = ranks[rank] = _Readings(pulse.size_bytes)
    elif now - last < seconds:
        return False
    known.of_rank.append((now, pulse.anonymous_bytes or 0))
    return True


def _growth(rank: int, node: str, readings: Sequence[tuple[float, int]]) -> Growth | None:
    """Return the growth over a rank's readings if it is steady and large enough."""
    if len(readings) < READINGS:
        return None
    held = [memory_bytes for _, memory_bytes in readings]
    growth, rises = held[-1] - held[0], [after - before for before, after in pairwise(held)]
    half = held[len(held) // 2]
    is_steady = (
        sum(rise > 0 for rise in rises) >= MIN_RISING * len(rises)
        and median_of(list(map(float, rises))) * len(rises) >= MIN_STEADY * growth
        and held[-1] - half >= MIN_STEADY * (half - held[0])
    )
    if growth < max(MIN_BYTES, MIN_PART * held[0]) or not is_steady:
        return None
    return Growth(rank, node, readings[-1][0] - readings[0][0], growth, held[-1])


def _findings(growing: Sequence[Growth]) -> list[Finding]:
    """Return one finding, about the rank that grows fastest: a program that leaks does so on all ranks."""
    if not growing:
        return []
    fastest = {one.rank: one for one in sorted(growing, key=_rate)}
    ordered = sorted(fastest.values(), key=_rate, reverse=True)
    worst, more = ordered[0], len(ordered) - 1
    message = (
        f"The memory of rank {worst.rank} on node {worst.node} grows steadily: by "
        f"{format_size(worst.growth_bytes)} in {worst.seconds:.0f} s, to {format_size(worst.memory_bytes)}"
    )
    message += f"; that of {more} more {'rank' if more == 1 else 'ranks'} grows, too." if more else "."
    evidence = {
        "bytes_per_second": _rate(worst),
        "ranks": [
            {"rank": one.rank, "node": one.node, "growth_bytes": one.growth_bytes, "memory_bytes": one.memory_bytes}
            | {"seconds": one.seconds}
            for one in ordered[:MAX_RANKS_SHOWN]
        ],
    }
    return [Finding("memory_growth", message, worst.rank, worst.node, evidence)]


def _rate(growth: Growth) -> float:
    return growth.growth_bytes / growth.seconds
