"""Rank 0 of a diagnosis: it plans rounds, hears the readings of their pairs and tells them, and ends with a verdict."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ringscope.bench.pairs import letters
from ringscope.bench.pairs.meter import Letters, Meter, Post, Reading
from ringscope.bench.pairs.plane import Place, Plane, next_plane, planes_of, verdict_on
from ringscope.bench.pairs.rates import Measured
from ringscope.bench.pairs.told import verdict_record, way_rate
from ringscope.contracts.diagnosis.earlier import Earlier
from ringscope.contracts.diagnosis.record import DiagnosisTold, PairMeasured
from ringscope.contracts.diagnosis.spec import DiagnosisSpec
from ringscope.contracts.errors import UserError
from ringscope.diagnosis.answers import Answer, Ending, Rate, Round
from ringscope.diagnosis.verdict import Verdict
from ringscope.engine.base import Array
from ringscope.engine.waiting.pause import pause

_MOST_SECONDS = 4.0  # for each direction; eight hosts on two cores need several blocks
_FEWEST_SECONDS = 0.15
_ROUNDS_BESIDE = 2  # a preflight's budget also holds its start and its verdict, which take about as long as two rounds
_MESSAGES = 8  # in a block; each may take as long as the timeout
budget_clock = time.monotonic  # by which rank 0 spends the budget
_STARTS = 3  # a rank may start so many timeouts later than rank 0


class Conductor:
    """Measures round after round until nothing is left to ask, or the budget is spent."""

    def __init__(
        self,
        post: Post,
        meter: Meter,
        spec: DiagnosisSpec,
        places: Sequence[Place],
        emit: Callable[[DiagnosisTold], None],
        earlier: Earlier,
        is_preflight: bool = False,
    ) -> None:
        self._post, self._meter, self._spec, self._emit = post, meter, spec, emit
        self._is_preflight = is_preflight
        self._ranks = len(places)
        self._planes = planes_of(spec, places, earlier)
        rounds = self._expected_rounds() + _ROUNDS_BESIDE * is_preflight
        share = spec.budget_seconds / rounds / 2
        self._seconds = min(_MOST_SECONDS, max(_FEWEST_SECONDS, share))
        self._silent: set[int] = set()  # ranks that no longer answer anybody
        self._far: set[int] = set()  # ranks that do not answer rank 0; others order them
        self._orders = 0
        self._hung = False
        self._kept: list[object] = []  # letters under way, which silent ranks may still take

    def run(self) -> bool:
        """Measure, tell the verdict and end the other ranks; return whether no message is left under way.

        UserError if the budget cannot hold one round; a preflight then judges what it has.
        """
        self._await_others()
        budget, began, spent, longest = self._spec.budget_seconds, budget_clock(), 0.0, 0.0
        is_first = True
        while (plane := next_plane(self._planes)) is not None and (is_first or spent + longest <= budget):
            start = budget_clock()
            self._measure(plane)
            spent, longest = budget_clock() - began, max(longest, budget_clock() - start)
            if is_first and spent > budget and not self._is_preflight:
                sentence = f"diagnosis.budget_seconds: {budget} s cannot hold one round, which took {spent:.1f} s;"
                raise UserError(f"{sentence} give at least {math.ceil(longest * self._expected_rounds())}.")
            is_first = False
        found = verdict_on(self._planes)
        self._emit(verdict_record(found if plane is None else _cut_short(found, budget)))
        return self._end()

    def _await_others(self) -> None:
        """Wait until the other ranks are ready, as a busy machine starts some late; others order those that are not."""
        waiting: dict[int, tuple[Letters, Array]] = {}
        for rank in range(1, self._ranks):
            waiting[rank] = self._post.messages(), letters.ready()
            waiting[rank][0].receive(waiting[rank][1], rank, letters.READY_TAG)
        deadline = time.monotonic() + _STARTS * self._spec.timeout_seconds
        while waiting and time.monotonic() < deadline:
            waiting = {rank: coming for rank, coming in waiting.items() if not coming[0].are_done()}
            pause()
        self._far |= set(waiting)
        self._kept.append(waiting)

    def _expected_rounds(self) -> int:
        return sum(plane.expected_rounds for plane in self._planes)

    def _measure(self, plane: Plane) -> None:
        """Measure the pairs of a round at the same time, then again those of which one rank did not answer rank 0.

        Pairs of two ranks that rank 0 does not reach have no answer.
        """
        asked = plane.step
        assert isinstance(asked, Round)
        number = sum(len(each.belief.heard) for each in self._planes)
        answers, pairs = [], []

        def tell(pair: tuple[int, int], readings: dict[int, Reading]) -> None:
            answers.append(self._told(plane, asked, number, pair, readings))

        for first, second in asked.pairs:
            pair = plane.rank_of[first], plane.rank_of[second]
            far = self._far.intersection(pair)
            if self._silent.intersection(pair) or (far and 0 in pair):
                tell(pair, {})
            elif len(far) < 2:
                pairs.append(pair)
        again: list[tuple[int, int]] = []
        for pair, readings, silent in self._run(pairs):
            if len(silent) == 1 and not self._far.intersection(pair):
                self._far |= silent
                if 0 not in pair:
                    again.append(pair)
                    continue
            else:
                self._note_silent(pair, readings, silent)
            tell(pair, readings)
        for pair, readings, silent in self._run(again):
            self._note_silent(pair, readings, silent)
            tell(pair, readings)
        plane.hear(asked, answers)

    def _note_silent(self, pair: tuple[int, int], readings: dict[int, Reading], silent: set[int]) -> None:
        """Note the ranks that answered neither rank 0 nor, if rank 0 does not reach them, their partner."""
        self._silent |= silent if len(readings) == 2 else silent | self._far.intersection(pair)

    def _run(self, pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], dict[int, Reading], set[int]]]:
        """Order the pairs to measure; yield each with its readings, and the ranks that did not answer rank 0."""
        if not pairs:
            return
        self._orders += 1
        reports = self._ordered(pairs)
        for pair in pairs:
            if 0 in pair:
                peer = pair[1] if pair[0] == 0 else pair[0]
                own = letters.task(self._orders, peer, pair[0] == 0, self._seconds)
                reports.hear(0, self._meter.measure(own))
        waiting = list(pairs)
        while waiting:
            for pair in [pair for pair in waiting if reports.has(pair)]:
                waiting.remove(pair)
                yield pair, reports.of(pair), reports.silent(pair)
            pause()
        if self._far or self._silent:
            self._kept.append(reports)

    def _ordered(self, pairs: Sequence[tuple[int, int]]) -> _Reports:
        """Send an order to each rank of the pairs that rank 0 reaches; return what takes their reports."""
        reports = _Reports(self._seconds, self._spec.timeout_seconds)
        for pair in pairs:
            far = self._far.intersection(pair)
            for rank, peer in (pair, pair[::-1]):
                if rank and rank not in far:
                    coming = self._post.messages()
                    coming.receive(memory := letters.empty_report(), rank, letters.REPORT_TAG + self._orders)
                    reports.expect(rank, coming, memory)
                    task = letters.task(self._orders, peer, rank == pair[0], self._seconds, leads=bool(far))
                    self._send(letters.order(task), rank)
        return reports

    def _send(self, words: Array, rank: int) -> Letters:
        leaving = self._post.messages()
        leaving.send(words, rank, letters.ORDER_TAG)
        self._kept.append((leaving, words))
        return leaving

    def _told(
        self, plane: Plane, asked: Round, number: int, pair: tuple[int, int], readings: dict[int, Reading]
    ) -> Answer:
        first, second = pair
        names = plane.name_of[first], plane.name_of[second]
        answer, there, back = Answer(names, ending=Ending.HUNG, rail=plane.rail), None, None
        if len(readings) == 2:
            there, back = readings[second].rate, readings[first].rate
            answer = Answer(names, _rate(there), _rate(back), rail=plane.rail)
        else:
            self._hung = True
        told = PairMeasured(
            round=number,
            first=first,
            second=second,
            ending=answer.ending.value,
            there=there and way_rate(_rate(there), there.messages),
            back=back and way_rate(_rate(back), back.messages),
            latency_us=readings[first].latency_us if first in readings else None,
            is_loaded=names in asked.loaded,
            time_ns=time.time_ns(),
        )
        self._emit(told)
        return answer

    def _end(self) -> bool:
        is_clean = not self._hung and not self._far
        words = letters.end_order(is_clean)
        leaving = [self._send(words, rank) for rank in range(1, self._ranks) if rank not in self._silent | self._far]
        deadline = time.monotonic() + self._spec.timeout_seconds
        while not all(letter.are_done() for letter in leaving):
            if time.monotonic() > deadline:
                return False
            pause()
        return is_clean


class _Reports:
    """The reports of the ranks to which rank 0 sent an order; one is silent if it reports long after its peer."""

    def __init__(self, seconds: float, timeout_seconds: float) -> None:
        self._timeout = timeout_seconds
        self._last = time.monotonic() + 2 * seconds + _MESSAGES * timeout_seconds
        self._coming: dict[int, tuple[Letters, Array]] = {}
        self._due: dict[int, float] = {}
        self._readings: dict[int, Reading | None] = {}

    def expect(self, rank: int, coming: Letters, memory: Array) -> None:
        """Note that a rank will report."""
        self._coming[rank] = coming, memory

    def hear(self, rank: int, reading: Reading | None) -> None:
        """Note what a rank measured."""
        self._readings[rank] = reading

    def has(self, pair: tuple[int, int]) -> bool:
        """Return whether all of the pair that have an order have reported, or one of them is silent."""
        for rank, peer in (pair, pair[::-1]):
            if rank in self._coming and rank not in self._readings and self._coming[rank][0].are_done():
                own, of_peer = letters.readings_of(self._coming[rank][1])
                self.hear(rank, own)
                if peer and peer not in self._coming:
                    self.hear(peer, of_peer)
            if rank in self._readings:
                self._due.setdefault(peer, time.monotonic() + 2 * self._timeout)
        return all(rank in self._readings for rank in pair) or bool(self.silent(pair))

    def silent(self, pair: tuple[int, int]) -> set[int]:
        """Return the ranks of the pair that have an order and do not report in time."""
        now, open_ranks = time.monotonic(), self._coming.keys() - self._readings.keys()
        return {rank for rank in pair if rank in open_ranks and now > self._due.get(rank, self._last)}

    def of(self, pair: tuple[int, int]) -> dict[int, Reading]:
        """Return what the ranks of a pair measured."""
        known = {rank: self._readings.get(rank) for rank in pair}
        return {rank: reading for rank, reading in known.items() if reading is not None}


def _rate(rate: Measured) -> Rate:
    return Rate(rate.low, rate.high, rate.spread)


def _cut_short(found: Verdict, budget_seconds: int) -> Verdict:
    """Return the verdict on what was measured, as undecided."""
    rounds = found.rounds
    spent = f"The budget of {budget_seconds} s is spent after {rounds} rounds; a larger one would decide what is open."
    sentences = tuple(one for one in found.sentences if not one.startswith("Nothing is wrong"))
    return replace(found, decided=False, sentences=sentences, undecided=(*found.undecided, spent))
