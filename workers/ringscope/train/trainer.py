"""The trainer: epochs of steps, and the work between them. It is the same program on every rank."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch

from ringscope.contracts.record import Record
from ringscope.contracts.training import LOCAL_SGD, TrainingSpec
from ringscope.contracts.training.record import AlgorithmChanged, Buckets
from ringscope.engine.positions import INPUT_NS, ITERATIONS, SIZE_BYTES, UNTIMED, set_stage, stage
from ringscope.train.data import Dataset
from ringscope.train.digest import average_buffers, compare_replicas
from ringscope.train.divergence import Divergence, are_finite
from ringscope.train.epoch_end import EpochEnd
from ringscope.train.fault_injection import FaultInjection
from ringscope.train.progress import Progress
from ringscope.train.replica import Result
from ringscope.train.samples import Samples, SharedSamples
from ringscope.train.step_reporter import Step, StepReporter
from ringscope.train.sums.gradient_sum import Sums
from ringscope.train.sums.sum_checks import SumChecks

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_Batch = tuple[torch.Tensor, torch.Tensor]


class Learner(Protocol):
    """Makes the steps: our replica, or that of a peer with other libraries."""

    @property
    def module(self) -> torch.nn.Module:
        """Return the model after the last step (collective where its parameters are in stages)."""

    def step(self, parts: Iterable[_Batch], count: int, global_samples: int) -> Result:
        """Make one update, as ``Replica.step`` does."""


class SumOfRanks(Protocol):
    """Description of the implementation that sums the gradients, for records."""

    algorithm: str  # named as in records
    transport: str
    size_bytes: int  # size of the whole gradient

    def close(self) -> None:
        """Release the model."""


class Checkpointer(Protocol):
    """Interface for resuming a job and saving its state; see ``Checkpoints``."""

    def restore(self, spec: TrainingSpec) -> Progress:
        """Return the starting point."""

    def save(self, progress: Progress) -> float:
        """Save a checkpoint at ``place``; return the time that it took, in us."""

    def remember(self, progress: Progress) -> None:
        """Keep the state after a step in memory, if the job is elastic."""


class Trainer:
    """Trains one of several equal replicas; all ranks call every method (collective)."""

    def __init__(
        self,
        comm: Communicator,
        spec: TrainingSpec,
        dataset: Dataset,
        replica: Learner,
        sums: SumOfRanks,
        checkpoints: Checkpointer,
        emit: Callable[[Record], None],
        fault: str = "",
        samples: Samples | None = None,
        checks: SumChecks | None = None,
    ) -> None:
        """``fault`` is injected on this rank (see ``rank_process.FAULT_VARIABLE``); by default samples are shared."""
        self._checks = checks
        self._comm, self._spec, self._dataset, self._faults = comm, spec, dataset, FaultInjection(fault)
        self._replica, self._sums, self._checkpoints = replica, sums, checkpoints
        self._samples = samples or SharedSamples(comm, spec, len(dataset.training), dataset.is_ordered)
        dataset.training.follow(self._coming)
        self._is_loading = True
        self._input_ns = 0  # the waiting of this step so far
        set_stage(comm.position, "looking for a checkpoint")
        self._progress = checkpoints.restore(spec)
        averaged_bytes = sums.size_bytes if spec.strategy in LOCAL_SGD else None
        ranks = spec.summing_ranks(comm.size)
        self._reporter = StepReporter(
            comm.rank, ranks, emit, sums.algorithm, sums.transport, self._progress.step, averaged_bytes
        )
        self._emit = emit
        self._observer: Callable[[Sums], None] = lambda sums: None
        self._end = EpochEnd(comm, spec, dataset.validation, emit)
        self._divergence = Divergence(comm.rank, emit, spec.on_nan)

    @property
    def module(self) -> torch.nn.Module:
        """Return this rank's model."""
        return self._replica.module

    @property
    def progress(self) -> Progress:
        """Return the progress of the job."""
        return self._progress

    @property
    def steps_per_epoch(self) -> int:
        """Return the steps of an epoch, over all ranks together."""
        return self._samples.steps_per_epoch

    def observe_sums(self, observer: Callable[[Sums], None]) -> None:
        """Show the timing of each step's sums to ``observer`` from now on, after the step."""
        self._observer = observer

    def close(self) -> None:
        """Release the model (collective)."""
        self._sums.close()

    def run(self) -> None:
        """Train to the end; DifferenceError if replicas are not equal after an epoch."""
        set_stage(self._comm.position, "comparing the replicas")
        compare_replicas(self._comm, self._replica.module, "Before the first step")
        set_stage(self._comm.position, "compiling and taking the first step")
        self._comm.position[SIZE_BYTES] = self._sums.size_bytes
        while self._progress.epoch < self._spec.epochs and not self._is_at_last_step():
            self._run_epoch()

    def _run_epoch(self) -> None:
        progress, spec = self._progress, self._spec
        while progress.index < self._samples.steps_per_epoch and not self._is_at_last_step():
            self._step()
            self._checkpoints.remember(progress)
            is_last = progress.index >= self._samples.steps_per_epoch or self._is_at_last_step()
            if spec.checkpoint_every_steps and progress.step % spec.checkpoint_every_steps == 0 and not is_last:
                self._reporter.send()
                self._save()
                self._wait_for_all()
        self._reporter.send()
        average_buffers(self._comm, self.module)
        self._faults.before_comparison(self.module)
        self._require_finite()
        compare_replicas(self._comm, self._replica.module, f"After epoch {progress.epoch + 1}")
        with stage(self._comm.position, "evaluating"):
            epoch = self._end.evaluate(self._replica.module, progress)
        if progress.index >= self._samples.steps_per_epoch:
            progress.next_epoch()
        self._end.tell(epoch, checkpoint_us=self._save())
        self._wait_for_all()

    def _save(self) -> float:
        """Write a checkpoint, only of finite parameters, so that the last finite one is kept; return its time in us."""
        if not self._require_finite():
            return 0.0
        with stage(self._comm.position, "writing a checkpoint"):
            return self._checkpoints.save(self._progress)

    def _wait_for_all(self) -> None:
        """Wait for the ranks that write a checkpoint: the next step would count this as waiting for sums.

        This is no stage: a rank that is stopped here is found after ``hang_seconds``, as in a step.
        """
        self._comm.barrier()
        self._comm.position[UNTIMED] += 1

    def _require_finite(self) -> bool:
        """Return whether all parameters are finite on every rank; DivergedError if the job should stop then."""
        is_finite = not self._comm.maximum(np.array([not are_finite(self.module)], np.int64))[0]
        self._divergence.judge_parameters(self._progress.step - 1, is_finite)
        return is_finite

    def _is_at_last_step(self) -> bool:
        return self._spec.max_steps is not None and self._progress.step >= self._spec.max_steps

    def _step(self) -> None:
        progress, spec = self._progress, self._spec
        start_ns, start = time.time_ns(), time.perf_counter_ns()
        mine = self._samples.mine(progress.epoch, progress.index)
        self._input_ns = time.perf_counter_ns() - start
        parts = min(spec.parts, len(mine))
        averaged = len(mine) if spec.strategy in LOCAL_SGD else spec.global_batch_size
        result = self._replica.step(self._batches(mine, parts), parts, averaged)
        if self._checks is not None:
            self._checks.note(progress.step)
        duration_us = (time.perf_counter_ns() - start) / 1e3
        self._comm.position[INPUT_NS] += self._input_ns
        self._comm.position[ITERATIONS] += 1
        if self._is_loading:
            self._is_loading = False
            set_stage(self._comm.position, "")
        sums, samples = result.sums, len(mine) if result.is_counted else 0
        is_alone = self._comm.size == 1  # it waits for no other rank: what its sums take is part of its computing
        step = Step(
            start_ns=start_ns,
            duration_us=duration_us,
            communication_us=0.0 if is_alone else sums.communication_us,
            exposed_us=0.0 if is_alone else sums.exposed_us,
            size_bytes=sums.size_bytes,
            summed_by=sums.summed_by,
            input_us=self._input_ns / 1e3,
            loss=result.loss_sum / len(mine),
            samples=samples,
            lag=sums.lag,
            buckets=self._buckets(sums),
            pipeline=result.pipeline_step and result.pipeline_step.model_copy(update={"step": progress.step}),
        )
        if result.first_culprit is None and result.is_counted:
            progress.advance(result.loss_sum, samples, duration_us)
        else:
            progress.advance(0.0, 0, duration_us)
        self._reporter.add(step)
        self._observer(sums)
        self._tell_changes(sums)
        self._faults.note(duration_us - sums.exposed_us - self._input_ns / 1e3)
        self._samples.note(duration_us - sums.exposed_us)
        if result.first_culprit is not None:
            self._reporter.send()  # the step before what was found in it
            culprit = result.first_culprit(self._comm, self._batches(mine, parts))
            self._divergence.judge_gradient(progress.step - 1, step.loss, culprit)
        elif not result.is_left_out:
            self._judge(step)

    def _tell_changes(self, sums: Sums) -> None:
        """Report on rank 0 which algorithms change before the next step."""
        for found in sums.changes if self._comm.rank == 0 else ():
            before, after, _ = found.change
            told = AlgorithmChanged(
                rank=0,
                step=self._progress.step,
                buckets=len(found.numbers),
                size_bytes=found.size_bytes,
                before=before,
                after=after,
                because=found.because,
            )
            self._emit(told)
            sys.stdout.write(told.sentence + "\n")
            sys.stdout.flush()

    def _judge(self, step: Step) -> None:
        if step.loss is not None and not np.isfinite(step.loss):
            self._reporter.send()
        self._divergence.judge_loss(self._progress.step - 1, step.loss)

    def _batches(self, samples: np.ndarray[tuple[int], np.dtype[np.int64]], parts: int) -> Iterator[_Batch]:
        """Fetch the parts of a step's samples as they are needed, and add the time that this takes."""
        for part in np.array_split(samples, parts):
            start = time.perf_counter_ns()
            batch = self._dataset.training.batch(torch.from_numpy(part))
            self._faults.during_input(parts)
            self._input_ns += time.perf_counter_ns() - start
            yield batch

    def _coming(self) -> Iterator[torch.Tensor]:
        """Return the parts of this rank's batches from the current step on, in all epochs that are left."""
        epoch, index = self._progress.epoch, self._progress.index
        while epoch < self._spec.epochs:
            while index < self._samples.steps_per_epoch:
                mine = self._samples.mine(epoch, index)
                yield from map(torch.from_numpy, np.array_split(mine, min(self._spec.parts, len(mine))))
                index += 1
            epoch, index = epoch + 1, 0

    def _buckets(self, sums: Sums) -> Buckets | None:
        """Return the buckets' timing; None for a library that does not expose its buckets."""
        if not sums.bucket_bytes:
            return None
        return Buckets(
            rank=self._comm.rank,
            step=self._progress.step,
            backward_us=sums.backward_us,
            bytes=sums.bucket_bytes,
            ready_us=sums.ready_us,
            start_us=sums.start_us,
            end_us=sums.end_us,
            layer=sums.layers,
            direction=sums.directions,
        )
