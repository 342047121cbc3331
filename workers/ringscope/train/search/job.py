"""A job of kind strategy_search on its ranks."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ringscope.contracts.rank_process import CHECKPOINTS_VARIABLE
from ringscope.contracts.record import Record
from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.contracts.training import STRATEGIES, TrainingSpec, libraries
from ringscope.search.candidates import Situation, candidates
from ringscope.search.verdict import Verdict
from ringscope.train.adaptive.learned import Learned
from ringscope.train.inputs import FROM_SPEC
from ringscope.train.program import assemble
from ringscope.train.search.algorithms import Algorithms
from ringscope.train.search.equality import Equality
from ringscope.train.search.few_held_out import few_held_out
from ringscope.train.search.run_file import RunFile
from ringscope.train.search.runner import Runner
from ringscope.train.search.sum_times import SumTimes
from ringscope.train.trainer import Trainer

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator


def search(comm: Communicator, spec: StrategySearchSpec, emit: Callable[[Record], None]) -> Verdict:
    """Run a search on all ranks and report its runs to ``emit`` (collective).

    UserError if fewer than two candidates can run, or if the budget cannot hold a run of each.
    """
    found = candidates(spec, Situation(comm.size, len(comm.nodes), _installed(comm), comm.gpu is not None))
    folder = os.environ.get(CHECKPOINTS_VARIABLE)
    file = RunFile(Path(folder) if folder and comm.rank == 0 else None)
    equality, sum_times, algorithms = Equality(comm, spec, train_alone), SumTimes(comm), Algorithms()

    def train(comm: Communicator, spec: TrainingSpec, emit: Callable[[Record], None]) -> None:
        train_once(comm, spec, emit, equality, sum_times, learned=algorithms.current)

    return Runner(comm, spec, found, file, train, emit, equality, sum_times, algorithms).run()


def train_alone(comm: Communicator, spec: TrainingSpec, equality: Equality, *, only_prepare: bool) -> None:
    """Train without reports, or only prepare it."""
    train_once(comm, spec, lambda record: None, equality, only_prepare=only_prepare)


def train_once(
    comm: Communicator,
    spec: TrainingSpec,
    emit: Callable[[Record], None],
    equality: Equality,
    sum_times: SumTimes | None = None,
    only_prepare: bool = False,
    learned: Learned | None = None,
) -> None:
    """Train from the first parameters (collective). No checkpoint is read: the job's folder is shared by all runs.

    A run that is limited in its steps evaluates one held-out sample a rank, because nobody reads its accuracy.
    """
    material = FROM_SPEC if spec.max_steps is None else few_held_out(comm.size)
    trainer = assemble(comm, spec, emit, material=material, learned=learned)
    if sum_times is not None and isinstance(trainer, Trainer):
        sum_times.follow(trainer)
    if not only_prepare:
        trainer.run()
        equality.note(trainer)
    trainer.close()


def _installed(comm: Communicator) -> set[str]:
    """Return the libraries of training that all nodes have (collective)."""
    every = sorted({library for strategy in STRATEGIES for library in libraries(strategy)})
    here = np.array([importlib.util.find_spec(library) is not None for library in every], np.float64)
    return {library for library, count in zip(every, comm.total(here), strict=True) if count == comm.size}
