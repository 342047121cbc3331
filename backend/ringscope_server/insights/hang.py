"""Hangs and desyncs: ranks that live and come no further. Pure.

A rank comes further when it begins another step of a call, or ends an iteration, a warm-up operation or a check. None
has for longer than the limit: the gang hangs. Some have not while others go on: it is out of step. The limit is the
job's ``hang_seconds``, or ten mean iterations if that is longer. Time is counted between pulses, by their node's clock
that never jumps, and no gap for more than a few seconds: nobody hangs for a node or server that was silent or asleep,
nor for a clock that was set.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from ringscope.contracts.units import format_size
from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.windows import Sample

MEAN_STEPS = 10
FRESH_SECONDS = 5.0  # an older pulse says nothing about now, nor about all of the time until the next one
MAX_RANKS_SHOWN = 64


@dataclass
class Progress:
    """Since when each rank has been where it is, and for how many seconds of those that count."""

    _first: dict[int, Sample] = field(default_factory=dict)
    _since: dict[int, Sample] = field(default_factory=dict)
    _last: dict[int, Sample] = field(default_factory=dict)
    _still: dict[int, float] = field(default_factory=dict)

    def note(self, samples: Mapping[int, Sample]) -> None:
        """Take in the newest pulse of each rank."""
        for rank, sample in samples.items():
            self._first.setdefault(rank, sample)
            before = self._last.get(rank)
            if before is None or before.place != sample.place:
                self._since[rank], self._still[rank] = sample, 0.0
            else:
                self._still[rank] += min(_seconds(before, sample), FRESH_SECONDS)
            self._last[rank] = sample

    def judge(self, ranks: int, hang_seconds: float, now: float) -> Finding | None:
        """A hang or a desync of a gang of so many ranks, all of which must have been heard of lately."""
        if len(self._last) < ranks or any(now - sample.heard_at > FRESH_SECONDS for sample in self._last.values()):
            return None
        still = self._still
        limit = max(hang_seconds, MEAN_STEPS * self._mean_iteration_seconds())
        stuck = [rank for rank, seconds in still.items() if seconds >= limit]
        if len(stuck) == ranks:
            return self._hang(still, limit)
        return self._desync(stuck, still, limit) if stuck else None

    def _mean_iteration_seconds(self) -> float:
        """Of the rank that has done most; until it stood still."""
        done = {rank: self._since[rank].pulse.iterations - self._first[rank].pulse.iterations for rank in self._last}
        rank = max(done, key=lambda one: done[one])
        return _seconds(self._first[rank], self._since[rank]) / done[rank] if done[rank] else 0.0

    def _hang(self, still: Mapping[int, float], limit: float) -> Finding:
        behind = self._behind()
        seconds = min(still.values())
        if not behind:
            where = f"All of them are {_where(next(iter(self._last.values())))}."
            culprit = None
        else:
            culprit = behind[0]
            where = f"Behind all others is {self._named(behind)}, {_where(self._last[culprit])}."
        message = f"The gang hangs: no rank has come further for {seconds:.0f} s (limit {limit:.0f} s). {where}"
        node = None if culprit is None else self._last[culprit].node
        return Finding("hang", message, culprit, node, self._evidence(still, limit, behind))

    def _desync(self, stuck: list[int], still: Mapping[int, float], limit: float) -> Finding:
        culprit = min(stuck, key=lambda rank: self._last[rank].place)
        message = (
            f"The ranks are out of step: {self._named(stuck)} has come no further for {still[culprit]:.0f} s "
            f"(limit {limit:.0f} s), {_where(self._last[culprit])}, while others go on."
        )
        return Finding("desync", message, culprit, self._last[culprit].node, self._evidence(still, limit, stuck))

    def _behind(self) -> list[int]:
        """Ranks that are less far than others; none where all are equally far."""
        least = min(sample.place for sample in self._last.values())
        behind = sorted(rank for rank, sample in self._last.items() if sample.place == least)
        return behind if len(behind) < len(self._last) else []

    def _named(self, ranks: Collection[int]) -> str:
        first = min(ranks)
        more = f" (and {len(ranks) - 1} more)" if len(ranks) > 1 else ""
        return f"rank {first} on node {self._last[first].node}{more}"

    def _evidence(self, still: Mapping[int, float], limit: float, behind: list[int]) -> dict[str, Any]:
        """Where each rank is; of a large gang those that are least far."""
        ordered = sorted(self._last, key=lambda rank: (self._last[rank].place, rank))[:MAX_RANKS_SHOWN]
        return {
            "limit_seconds": limit,
            "behind": behind[:MAX_RANKS_SHOWN],
            "ranks": [
                rank_evidence(rank, self._last[rank]) | {"still_seconds": round(still[rank], 1)} for rank in ordered
            ],
        }


def _seconds(before: Sample, after: Sample) -> float:
    """Between two pulses of a rank; not negative, should its node have started again."""
    return max(0.0, (after.time_us - before.time_us) / 1e6)


def rank_evidence(rank: int, sample: Sample) -> dict[str, Any]:
    """One rank of a gang that hangs: its last iteration, message size and step."""
    pulse = sample.pulse
    return {
        "rank": rank,
        "node": sample.node,
        "state": pulse.state,
        "iterations": pulse.iterations,
        "size_bytes": pulse.size_bytes,
        "step": pulse.step,
    }


def _where(sample: Sample) -> str:
    pulse = sample.pulse
    place = "between two calls, or in a library's" if pulse.step is None else f"in step {pulse.step} of a call"
    return f"{place}, after {pulse.iterations} iterations, at {format_size(pulse.size_bytes)}"
