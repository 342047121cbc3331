"""One rank of the benchmark of tensor parallelism: it trains each case in turns, and rank 0 writes the times."""

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch

from ringscope.contracts.record import Record, Steps
from ringscope.contracts.training import TrainingSpec
from ringscope.engine.communicator import Communicator
from ringscope.train.program import assemble
from ringscope.train.trainer import Trainer

ALONE = "one process"
_ROUNDS, _STEPS = 4, 3  # in each turn the first step is not counted


def measure(models: Mapping[str, Mapping[str, Any]], path: str) -> None:
    """Train every model as replicas, divided, and on rank 0 alone."""
    torch.set_num_threads(1)
    comm = Communicator()
    own = comm.split(comm.rank)
    rows = [row for name, training in models.items() for row in _rows(comm, own, name, training)]
    if comm.rank == 0:
        Path(path).write_text(json.dumps(rows))
    own.free()
    comm.free()


def _rows(comm: Communicator, own: Communicator, name: str, training: Mapping[str, Any]) -> list[dict[str, Any]]:
    cases = {}
    for case, among, strategy in ((ALONE, own, "mirrored"), ("mirrored", comm, "mirrored"), ("tensor", comm, "tensor")):
        spec = TrainingSpec.model_validate({**training, "strategy": strategy, "all_reduce": "ring"})
        told: list[Record] = []
        trainer = assemble(among, spec, told.append)
        assert isinstance(trainer, Trainer), "these strategies have one"
        cases[case] = (trainer, told)
    times: dict[str, list[tuple[float, float]]] = {case: [] for case in cases}
    for _ in range(_ROUNDS):
        for case, (trainer, told) in cases.items():
            comm.barrier()
            found = _turn(trainer, told) if case != ALONE or comm.rank == 0 else (0.0, 0.0)
            times[case].append(tuple(comm.maximum(np.array(found)).tolist()))
    for case, (trainer, _) in cases.items():
        if case != ALONE or comm.rank == 0:
            trainer.close()
    return [
        {
            "model": name,
            "ranks": comm.size,
            "case": case,
            "step_us": [a for a, _ in found],
            "exposed_us": [b for _, b in found],
        }
        for case, found in times.items()
    ]


def _turn(trainer: Trainer, told: list[Record]) -> tuple[float, float]:
    """Return the medians of this rank's step time and exposed communication."""
    told.clear()
    for _ in range(_STEPS):
        trainer._step()
    trainer._reporter.send()
    steps = [record for record in told if isinstance(record, Steps)]
    durations = [each for record in steps for each in record.duration_us]
    exposed = [each for record in steps for each in record.exposed_us]
    return median(durations[1:]), median(exposed[1:])
