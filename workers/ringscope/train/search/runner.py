"""A strategy search on its ranks: short runs of the candidates in turns, until the rounds are over."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ringscope.contracts.record import Record, Steps
from ringscope.contracts.search.record import BLOCKS, SearchBegin, SearchRun
from ringscope.contracts.training import TrainingSpec
from ringscope.search.candidates import Candidate, LeftOut
from ringscope.search.rounds import Rounds
from ringscope.search.verdict import Verdict, verdict
from ringscope.train.search.peak_memory import begin_peak, peak_bytes
from ringscope.train.search.run_file import RunFile, failed_run

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

WARM_STEPS = 3  # untimed steps of each run: libraries initialise in them, and memory is touched for the first time
_FIRST_STEPS = 4  # timed steps of a block in a candidate's first run
_MOST_STEPS = 200
_BLOCK_SECONDS = 0.4  # length of a block in a candidate's later runs

# Trains as the specification says and reports to ``emit`` (collective); ``program.train`` is one.
Train = Callable[["Communicator", TrainingSpec, Callable[[Record], None]], object]


class Runner:
    """Runs candidates on all ranks; every rank makes the same calls (collective)."""

    def __init__(
        self,
        comm: Communicator,
        candidates: Sequence[Candidate],
        left_out: Sequence[LeftOut],
        budget_seconds: float,
        file: RunFile,
        train: Train,
        report: Callable[[SearchBegin | SearchRun], None] = lambda told: None,
    ) -> None:
        """``file`` and ``report`` are used on rank 0 only; the runs of earlier attempts are reported, too."""
        self._comm, self._budget_seconds, self._file = comm, budget_seconds, file
        self._train, self._report, self._left_out = train, report, list(left_out)
        self._candidates = {each.name: each for each in candidates}
        self._runs = [SearchRun.model_validate(each) for each in self._agreed([r.model_dump() for r in file.read()])]

    def run(self) -> Verdict:
        """Run until the search is over; UserError if the budget cannot hold a run of each candidate."""
        is_first = self._comm.rank == 0
        for known in self._runs if is_first else ():
            self._report(known)
        while (wanted := self._rounds().next_run()) is not None:
            name, number = wanted
            if is_first:
                self._file.note_begin(name, number)
                self._report(SearchBegin(rank=0, candidate=name, round=number))
            run = self._tried(self._candidates[name], number)
            self._runs.append(run)
            if is_first:
                self._file.note_end(run)
                self._report(run)
                sys.stdout.write(f"round {number + 1}, {name}: {run.time_us / 1e3:.3g} ms a step\n")
                sys.stdout.flush()
        return verdict(self._rounds(), self._left_out)

    def _rounds(self) -> Rounds:
        return Rounds(list(self._candidates), self._runs, self._budget_seconds)

    def _tried(self, candidate: Candidate, number: int) -> SearchRun:
        """Return a run; an error ends this attempt, and the next one reads from rank 0's file why the run failed."""
        begin = time.perf_counter()
        try:
            return self._timed(candidate, number)
        except Exception as error:
            if self._comm.rank == 0:
                why = str(error) or type(error).__name__
                self._file.note_end(failed_run(candidate.name, number, why, time.perf_counter() - begin))
            raise

    def _timed(self, candidate: Candidate, number: int) -> SearchRun:
        """Train for a few steps from the first parameters, and return what the ranks measured."""
        steps = self._block_steps(candidate.name)
        lasting = {"max_steps": WARM_STEPS + BLOCKS * steps, "epochs": 100_000}
        records: list[Steps] = []
        counts_peak = begin_peak()
        begin = time.perf_counter()
        self._train(
            self._comm,
            candidate.training.model_copy(update=lasting),
            lambda record: records.append(record) if isinstance(record, Steps) else None,
        )
        run = self._measured(candidate, number, records, steps, (counts_peak and peak_bytes()) or 0)
        seconds = time.perf_counter() - begin
        (found,) = self._agreed([run.model_copy(update={"seconds": seconds}).model_dump()])
        return SearchRun.model_validate(found)

    def _block_steps(self, name: str) -> int:
        """Return the steps of a block: as many as fit its time, by the candidate's last run."""
        known = [run for run in self._runs if run.candidate == name and not run.failure]
        if not known:
            return _FIRST_STEPS
        return min(_MOST_STEPS, max(_FIRST_STEPS, int(_BLOCK_SECONDS * 1e6 / known[-1].time_us)))

    def _measured(
        self, candidate: Candidate, number: int, records: Sequence[Steps], steps: int, peak: int
    ) -> SearchRun:
        """Combine the ranks' steps; a rank that makes none, such as a server, does not count (collective)."""
        table = _columns(records)[WARM_STEPS:]
        mine = [block.mean() if len(block) else 0.0 for block in np.array_split(table[:, 0], BLOCKS)]
        blocks_us = self._comm.maximum(np.array(mine))
        sums = np.append(table.mean(axis=0) if len(table) else np.zeros(table.shape[1]), float(len(table) > 0))
        _, compute_us, input_us, exposed_us, exchanged_bytes, ranks = self._comm.total(sums).tolist()
        largest = self._comm.maximum(np.array([float(peak)]))
        return SearchRun(
            candidate=candidate.name,
            round=number,
            samples=candidate.training.global_batch_size,
            blocks_us=[float(each) for each in blocks_us],
            compute_us=compute_us / ranks,
            input_us=input_us / ranks,
            exposed_us=exposed_us / ranks,
            exchanged_bytes=exchanged_bytes / ranks,
            peak_bytes=int(largest[0]) or None,
            seconds=0.0,
        )

    def _agreed(self, found: list[dict[str, object]]) -> list[dict[str, object]]:
        """Return rank 0's list on every rank (collective): all ranks must choose the same next run."""
        text = json.dumps(found).encode()
        length = np.array([len(text)], np.int64)
        self._comm.broadcast(length, 0)
        content = np.zeros(int(length[0]), np.uint8)
        content[: len(text)] = np.frombuffer(text[: len(content)], np.uint8)
        self._comm.broadcast(content, 0)
        agreed: list[dict[str, object]] = json.loads(content.tobytes())
        return agreed


def _columns(records: Sequence[Steps]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return a row for each step: its time, computing, waiting for samples and for sums in us, and its bytes."""
    rows = [
        (duration_us, compute_us, input_us, exposed_us, float(record.bytes))
        for record in records
        for duration_us, compute_us, input_us, exposed_us in zip(
            record.duration_us,
            record.compute_us,
            record.input_us or [0.0] * len(record.duration_us),
            record.exposed_us,
            strict=True,
        )
    ]
    return np.array(rows, np.float64).reshape(-1, 5)
