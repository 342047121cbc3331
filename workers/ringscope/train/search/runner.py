"""A strategy search on its ranks: short runs of the candidates in turns, then runs to the target accuracy."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from pydantic import TypeAdapter

from ringscope.contracts.record import Record, Steps
from ringscope.contracts.search.record import (
    LeftOutCandidate,
    SearchBegin,
    SearchDone,
    SearchPlan,
    SearchRun,
    SearchTarget,
    SearchTold,
)
from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.contracts.training import LOCAL_SGD, TrainingSpec
from ringscope.contracts.training.record import Epoch
from ringscope.engine.waiting.library_errors import naming_lost_ranks
from ringscope.search.candidates import Candidate, Candidates
from ringscope.search.told import ToldSearch
from ringscope.search.verdict import Verdict
from ringscope.train.search.algorithms import Algorithms
from ringscope.train.search.equality import Equality
from ringscope.train.search.peak_memory import begin_peak, peak_bytes
from ringscope.train.search.run_file import RunFile, failed_run
from ringscope.train.search.run_length import RunLength, run_length
from ringscope.train.search.sent_bytes import SentBytes
from ringscope.train.search.sum_times import SumTimes

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_DONE: TypeAdapter[list[SearchDone]] = TypeAdapter(list[SearchDone])

# Trains as the specification says and reports to ``emit`` (collective); ``program.train`` is one.
Train = Callable[["Communicator", TrainingSpec, Callable[[Record], None]], object]


class Runner:
    """Runs candidates on all ranks; every rank makes the same calls (collective)."""

    def __init__(
        self,
        comm: Communicator,
        spec: StrategySearchSpec,
        found: Candidates,
        file: RunFile,
        train: Train,
        report: Callable[[SearchTold], None] = lambda told: None,
        equality: Equality | None = None,
        sum_times: SumTimes | None = None,
        algorithms: Algorithms | None = None,
    ) -> None:
        """``file`` and ``report`` are used on rank 0 only; the runs of earlier attempts are reported, too.

        Without ``equality`` no parameters are compared; without ``sum_times`` no run tells the times of its sums;
        without ``algorithms`` each run tries those of ``auto`` anew, also in its timed steps.
        """
        self._equality, self._sum_times, self._algorithms = equality, sum_times, algorithms
        self._comm, self._spec, self._file, self._train = comm, spec, file, train
        self._report: Callable[[SearchTold], None] = report if comm.rank == 0 else lambda told: None
        self._candidates = {each.name: each for each in found.chosen}
        left_out = [LeftOutCandidate(name=each.name, reason=each.reason) for each in found.left_out]
        self._plan = SearchPlan(rank=0, candidates=list(self._candidates), left_out=left_out)
        self._done: list[SearchDone] = self._agreed(file.read())

    def run(self) -> Verdict:
        """Run until the search is over; UserError if the budget cannot hold a run of each candidate."""
        for known in (self._plan, *self._done):
            self._report(known)
        while (begin := self._next()) is not None:
            if self._comm.rank == 0:
                self._file.note_begin(begin)
            self._report(begin)
            done = self._tried(begin)
            self._done.append(done)
            self._report(done)
            if self._comm.rank == 0:
                self._file.note_end(done)
                sys.stdout.write(_words(done) + "\n")
                sys.stdout.flush()
        return self._told().verdict()

    def _told(self) -> ToldSearch:
        return ToldSearch.of([self._plan, *self._done], self._spec)

    def _next(self) -> SearchBegin | None:
        told = self._told()
        if (wanted := told.rounds.next_run()) is not None:
            return SearchBegin(rank=0, candidate=wanted[0], round=wanted[1])
        if (to_target := told.next_target()) is not None:
            return SearchBegin(rank=0, candidate=to_target[0], epochs=to_target[1])
        return None

    def _tried(self, begin: SearchBegin) -> SearchDone:
        """Return a run; an error ends this attempt, and the next one reads from rank 0's file why the run failed."""
        candidate, start = self._candidates[begin.candidate], time.perf_counter()
        try:
            run: SearchDone
            with naming_lost_ranks(self._comm):
                if begin.epochs is None:
                    run = self._timed(candidate, begin.round)
                else:
                    run = self._to_target(candidate, begin.epochs)
        except Exception as error:
            if self._comm.rank == 0:
                why = str(error) or type(error).__name__
                self._file.note_end(failed_run(begin, why, time.perf_counter() - start))
            raise
        (found,) = self._agreed([run.model_copy(update={"seconds": time.perf_counter() - start})])
        return found

    def _timed(self, candidate: Candidate, number: int) -> SearchRun:
        """Train for a few steps from the first parameters, and return what the ranks measured (collective)."""
        rounds = self._told().rounds
        known = rounds.runs_of(candidate.name)
        period = candidate.training.sync_every if candidate.training.strategy in LOCAL_SGD else 1
        tuning_steps = self._algorithms.begin(candidate) if self._algorithms else 0
        step_us = known[-1].time_us if known else None
        length = run_length(step_us, period, rounds.timed_seconds(number), tuning_steps)
        lasting = {"max_steps": length.steps, "epochs": 100_000}
        if self._equality and number > 0:
            self._equality.close()
        elif self._equality:
            self._equality.begin(candidate, length.steps)
        records: list[Steps] = []
        counts_peak = begin_peak()
        sent = SentBytes(candidate.training.strategy)
        if self._sum_times:
            self._sum_times.begin(candidate.training)

        def emit(record: Record) -> None:
            if isinstance(record, Steps):
                records.append(record)
                sent.read()

        self._train(self._comm, candidate.training.model_copy(update=lasting), emit)
        sent.read()
        if self._algorithms:
            self._algorithms.end()
        difference = self._equality.end() if self._equality else None
        run = self._measured(candidate, number, records, length, (counts_peak and peak_bytes()) or 0)
        sums = self._sum_times.end(length.warm_steps) if self._sum_times else []
        is_trial = not known
        more = {"is_trial": is_trial, "steps": length.steps, "difference": difference, "sums": [] if is_trial else sums}
        return run.model_copy(update=more | self._sent(sent.bytes))

    def _sent(self, mine: int | None) -> dict[str, float]:
        """Return the mean over the ranks of the bytes that they sent, and the most; nothing if one is unknown
        (collective).
        """
        counted, most = np.array([mine or 0, mine is None], np.float64), np.array([mine or 0], np.float64)
        (total, unknown), (largest,) = self._comm.total(counted).tolist(), self._comm.maximum(most).tolist()
        return {} if unknown else {"sent_bytes": total / self._comm.size, "most_sent_bytes": largest}

    def _to_target(self, candidate: Candidate, epochs: int) -> SearchTarget:
        """Train for some epochs, and return when the target was reached, on the rank that is told of epochs."""
        records: list[Epoch] = []
        self._train(
            self._comm,
            candidate.training.model_copy(update={"epochs": epochs}),
            lambda record: records.append(record) if isinstance(record, Epoch) else None,
        )
        return reached(candidate.name, epochs, records, self._spec.target_accuracy or 1.0)

    def _measured(
        self, candidate: Candidate, number: int, records: Sequence[Steps], length: RunLength, peak: int
    ) -> SearchRun:
        """Combine the ranks' steps; a rank that makes none, such as a server, does not count (collective)."""
        table = _columns(records)[length.untimed_steps :]
        blocks_us = self._comm.maximum(table[:, 0].mean(keepdims=True) if len(table) else np.zeros(1))
        sums = np.append(table.mean(axis=0) if len(table) else np.zeros(table.shape[1]), float(len(table) > 0))
        _, compute_us, input_us, exposed_us, communication_us, exchanged_bytes, ranks = self._comm.total(sums).tolist()
        largest = self._comm.maximum(np.array([float(peak)]))
        return SearchRun(
            candidate=candidate.name,
            round=number,
            samples=candidate.training.global_batch_size,
            blocks_us=[float(each) for each in blocks_us],
            compute_us=compute_us / ranks,
            input_us=input_us / ranks,
            exposed_us=exposed_us / ranks,
            communication_us=communication_us / ranks,
            exchanged_bytes=exchanged_bytes / ranks,
            peak_bytes=int(largest[0]) or None,
            seconds=0.0,
        )

    def _agreed(self, found: Sequence[SearchDone]) -> list[SearchDone]:
        """Return rank 0's list on every rank (collective): all ranks must choose the same next run."""
        text = _DONE.dump_json(list(found))
        length = np.array([len(text)], np.int64)
        self._comm.broadcast(length, 0)
        content = np.zeros(int(length[0]), np.uint8)
        content[: len(text)] = np.frombuffer(text[: len(content)], np.uint8)
        self._comm.broadcast(content, 0)
        return _DONE.validate_json(content.tobytes())


def reached(name: str, epochs: int, records: Sequence[Epoch], target_accuracy: float) -> SearchTarget:
    """Return a run to the target by the records of its epochs; one without records did not reach it."""
    steps_seconds = list(accumulate(record.duration_us * 1e-6 for record in records))
    accuracies = [record.validation_accuracy or 0.0 for record in records]
    first = next((at for at, accuracy in enumerate(accuracies) if accuracy >= target_accuracy), None)
    return SearchTarget(
        candidate=name,
        epochs=epochs,
        accuracy=max(accuracies, default=None),
        seconds_to_target=None if first is None else steps_seconds[first],
        epochs_to_target=None if first is None else records[first].epoch,
        steps_seconds=steps_seconds[-1] if steps_seconds else 0.0,
        seconds=0.0,
    )


def _words(done: SearchDone) -> str:
    if isinstance(done, SearchRun):
        step = f"{done.time_us / 1e3:.3g} ms a step"
        turn = f"round {done.round + 1}{' (trial)' * done.is_trial}"
        return f"{turn}, {done.candidate}: {step}, {done.seconds:.1f} s with its start"
    accuracy = "not measured" if done.accuracy is None else f"{done.accuracy:.1%}"
    return f"{done.candidate}, {done.epochs} epochs: best accuracy {accuracy}"


def _columns(records: Sequence[Steps]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return a row for each step: its time, computing, waiting for samples and for sums, its sums in us, its bytes."""
    rows = [
        (duration_us, compute_us, input_us, exposed_us, communication_us, float(record.bytes))
        for record in records
        for duration_us, compute_us, input_us, exposed_us, communication_us in zip(
            record.duration_us,
            record.compute_us,
            record.input_us or [0.0] * len(record.duration_us),
            record.exposed_us,
            record.communication_us,
            strict=True,
        )
    ]
    return np.array(rows, np.float64).reshape(-1, 6)
