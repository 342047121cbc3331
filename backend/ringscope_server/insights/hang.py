"""Hangs and desyncs: live ranks that make no progress. Pure.

A rank makes progress when it begins another step of a call, or ends an iteration, a warm-up operation or a check, or
enters another stage of its loading. If no rank does for longer than the limit, the gang hangs. If only some do not, the
gang is out of step. While a rank is in a stage, such as an import, the limit is the job's ``load_seconds``; else its
``hang_seconds``, or ten mean iterations if that is longer. A script need not report its steps: unless its job gives
``hang_seconds``, it only hangs if all of its ranks are in calls of the engine or blocked in torch.distributed, or have
ended their programs, or if one waits in a collective of mpi4py or torch.distributed over all ranks and another has
ended its program.

Time is counted between pulses, by their node's monotonic clock, and a gap counts a few seconds at most: no rank hangs
because a node or server was silent or asleep, or because a clock was set. Time in which a rank was ready to run without
a core does not count either, unless the rank waits for another one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ringscope.contracts.protocol import RankPulse
from ringscope.contracts.words.waits import is_blocked
from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.limits import Limits
from ringscope_server.insights.where import named, rank_evidence, rank_words
from ringscope_server.insights.windows import Sample

MEAN_STEPS = 10
FRESH_SECONDS = 5.0  # an older pulse says nothing about now, nor about all of the time until the next one
# The time for which a rank must wait for one whose program is over: its last message may still be on its way.
EARLY_END_SECONDS = 1.0
# In a collective of a library the rest of its own data may still be on its way as well.
EARLY_END_IN_LIBRARY_SECONDS = 10.0
MAX_RANKS_SHOWN = 64
_MOST_RANKS_TOLD = 4


@dataclass
class Progress:
    """The last progress of each rank, and the seconds since then that count."""

    _first: dict[int, Sample] = field(default_factory=dict)
    _since: dict[int, Sample] = field(default_factory=dict)
    _last: dict[int, Sample] = field(default_factory=dict)
    _still: dict[int, float] = field(default_factory=dict)

    def note(self, samples: Mapping[int, Sample]) -> None:
        """Take in the newest pulse of each rank."""
        for rank, sample in samples.items():
            self._first.setdefault(rank, sample)
            before = self._last.get(rank)
            if before is None or before.marks != sample.marks:
                self._since[rank], self._still[rank] = sample, 0.0
            else:
                self._still[rank] += min(_counted_seconds(before, sample), FRESH_SECONDS)
            self._last[rank] = sample

    def judge(self, ranks: int, limits: Limits, now: float) -> Finding | None:
        """Return a hang or a desync of a gang of ``ranks`` ranks; None unless all of them have sent a recent pulse."""
        if len(self._last) < ranks or any(now - sample.heard_at > FRESH_SECONDS for sample in self._last.values()):
            return None
        if (early := self._early_end(limits)) is not None:
            return early
        if not limits.tells_steps and not all(sample.is_in_call for sample in self._last.values()):
            return None
        still, is_loading = self._still, any(sample.pulse.stage for sample in self._last.values())
        limit = max(limits.hang_seconds, MEAN_STEPS * self._mean_iteration_seconds())
        if is_loading:
            limit = max(limit, limits.load_seconds)
        stuck = [rank for rank, seconds in still.items() if seconds >= limit]
        if len(stuck) == ranks:
            return self._hang(limit, limits, is_loading)
        is_sure = limits.tells_steps or not any(is_blocked(sample.pulse.collective) for sample in self._last.values())
        return self._desync(stuck, limit, limits) if stuck and is_sure else None

    def _mean_iteration_seconds(self) -> float:
        """Return the mean iteration of the rank that has done most, up to its last progress."""
        done = {rank: self._since[rank].pulse.iterations - self._first[rank].pulse.iterations for rank in self._last}
        rank = max(done, key=lambda one: done[one])
        return _seconds(self._first[rank], self._since[rank]) / done[rank] if done[rank] else 0.0

    def _early_end(self, limits: Limits) -> Finding | None:
        """Return a finding if a rank waits in a call for one whose program is over."""
        for rank, sample in sorted(self._last.items()):
            ended = self._awaited_in_vain(sample.pulse)
            if ended is None:
                continue
            message = (
                f"{named(ended).capitalize()} has ended its program without an error and will not come: "
                f"{self._told(rank, limits)}. Let every rank make the same calls."
            )
            evidence = self._evidence(EARLY_END_SECONDS, [ended.pulse.rank])
            return Finding("hang", message, ended.pulse.rank, ended.node, evidence, is_own_doing=True)
        return None

    def _awaited_in_vain(self, pulse: RankPulse) -> Sample | None:
        """Return the rank whose program is over although this one waits for it, if there is one."""
        if pulse.collective:
            over = [
                sample
                for rank, sample in sorted(self._last.items())
                if sample.pulse.has_finished
                and min(self._still[rank], self._still[pulse.rank]) >= EARLY_END_IN_LIBRARY_SECONDS
            ]
            return over[0] if over else None
        ended = None if pulse.awaits is None else self._last.get(pulse.awaits)
        if ended is None or not ended.pulse.has_finished:
            return None
        # Counted from the end of that program, too: a long message may have taken all of the time before.
        seconds = min(self._still[ended.pulse.rank], self._still[pulse.rank])
        return ended if seconds >= EARLY_END_SECONDS else None

    def _hang(self, limit: float, limits: Limits, is_loading: bool) -> Finding:
        culprits = self._culprits(is_loading)
        culprit = culprits[0] if culprits else None
        others = [rank for rank in self._ordered() if rank not in culprits]
        told = [*culprits[:_MOST_RANKS_TOLD], *others][:_MOST_RANKS_TOLD]
        where = "; ".join(self._told(rank, limits) for rank in told)
        more = f"; and {len(self._last) - len(told)} more ranks" if len(told) < len(self._last) else ""
        what, name = ("hangs while it loads", "load_seconds ") if is_loading else ("hangs", "")
        seconds = min(self._still.values())
        message = (
            f"The gang {what}: no rank has made progress for {seconds:.0f} s (limit {name}{limit:.0f} s). "
            f"{where[:1].upper()}{where[1:]}{more}."
        )
        node = None if culprit is None else self._last[culprit].node
        return Finding("hang", message, culprit, node, self._evidence(limit, culprits))

    def _desync(self, stuck: list[int], limit: float, limits: Limits) -> Finding:
        culprit = min(stuck, key=lambda rank: self._last[rank].place)
        more = f" (and {len(stuck) - 1} more)" if len(stuck) > 1 else ""
        message = (
            f"The ranks are out of step: {self._told(culprit, limits)}{more}, {self._still[culprit]:.0f} s "
            f"(limit {limit:.0f} s), while others go on."
        )
        return Finding("desync", message, culprit, self._last[culprit].node, self._evidence(limit, stuck))

    def _culprits(self, is_loading: bool) -> list[int]:
        """Return the ranks that the others wait for: those that load, those that are awaited and wait for none, or
        those that are behind.
        """
        if is_loading:
            loading = [rank for rank, sample in self._last.items() if sample.pulse.stage]
            return sorted(loading, key=lambda rank: (self._last[rank].is_in_call, rank))
        awaited = {sample.pulse.awaits for sample in self._last.values()}
        wait_for_none = [rank for rank in awaited if rank in self._last and self._last[rank].pulse.awaits is None]
        return sorted(rank for rank in wait_for_none if rank is not None) or self._behind()

    def _behind(self) -> list[int]:
        """Return the ranks that are behind others; none if all have got equally far."""
        least = min(sample.place for sample in self._last.values())
        behind = sorted(rank for rank, sample in self._last.items() if sample.place == least)
        return behind if len(behind) < len(self._last) else []

    def _told(self, rank: int, limits: Limits) -> str:
        return rank_words(self._last[rank], self._since[rank], limits.call)

    def _ordered(self) -> Sequence[int]:
        return sorted(self._last, key=lambda rank: (self._last[rank].place, rank))

    def _evidence(self, limit: float, behind: Collection[int]) -> dict[str, Any]:
        """Return the position of each rank; in a large gang, of those that are furthest behind."""
        return {
            "limit_seconds": limit,
            "behind": list(behind)[:MAX_RANKS_SHOWN],
            "ranks": [
                rank_evidence(rank, self._last[rank])
                | {"still_seconds": round(self._still[rank], 1), "since": round(self._since[rank].heard_at, 3)}
                for rank in self._ordered()[:MAX_RANKS_SHOWN]
            ],
        }


def _counted_seconds(before: Sample, after: Sample) -> float:
    """Return the seconds between two pulses of a rank in which it could have made progress by itself."""
    seconds = _seconds(before, after)
    queued = (before.pulse.queued_us, after.pulse.queued_us)
    if after.pulse.awaits is not None or queued[0] is None or queued[1] is None:
        return seconds
    return max(0.0, seconds - max(0, queued[1] - queued[0]) / 1e6)


def _seconds(before: Sample, after: Sample) -> float:
    """Return the seconds between two pulses of a rank; zero if its node was restarted in between."""
    return max(0.0, (after.time_us - before.time_us) / 1e6)
