"""One rank of the benchmark of pipelines: it trains each case, and rank 0 writes the bubbles to a file as JSON."""

import json
import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from mpi4py import MPI

from ringscope.contracts.record import Record
from ringscope.contracts.training import PipelineSchedule, TrainingSpec, ideal_bubble, parts_per_rank
from ringscope.contracts.training.record import PipelineStep, measured_bubble
from ringscope.engine.communicator import Communicator
from ringscope.train import data, models
from ringscope.train.inputs import Inputs
from ringscope.train.pipeline.job import pipeline_trainer

_FORWARD_US, _BACKWARD_US = 100_000.0, 200_000.0  # of one stage on a micro-batch, where computing is padded
_CASE_SECONDS = 1.6  # of each case: two or three steps are reported, one every half a second


@dataclass(frozen=True, slots=True)
class Case:
    """One pipeline; ``is_padded``: forward and backward sleep until they have taken the times above."""

    schedule: PipelineSchedule
    micro_batches: int
    is_padded: bool
    training: dict[str, Any]


def measure(cases: list[dict[str, Any]], path: str) -> None:
    """Train every case; rank 0 writes a row for each: the bubble of each reported step, and the most activations."""
    torch.set_num_threads(1)
    comm = Communicator()
    rows = [_row(comm, Case(**case)) for case in cases]
    if comm.rank == 0:
        Path(path).write_text(json.dumps(rows))
    comm.free()


def _row(comm: Communicator, case: Case) -> dict[str, Any]:
    ideal = ideal_bubble(case.schedule, comm.size, case.micro_batches)
    step_seconds = case.micro_batches * (_FORWARD_US + _BACKWARD_US) / 1e6 / (1 - ideal)
    spec = TrainingSpec.model_validate(
        case.training
        | {"strategy": "pipeline", "stages": comm.size, "schedule": case.schedule, "micro_batches": case.micro_batches}
        | {"max_steps": 2 + math.ceil(_CASE_SECONDS / step_seconds)}
    )
    dataset = data.load(spec)
    told: list[Record] = []
    inputs = Inputs(comm, spec, dataset, models.build(spec, dataset), torch.device("cpu"), told.append)
    share = case.is_padded / parts_per_rank(spec.schedule)
    trainer = pipeline_trainer(inputs, (_FORWARD_US * share, _BACKWARD_US * share))
    trainer.run()
    trainer.close()
    steps = defaultdict(list)
    for of_rank in MPI.COMM_WORLD.allgather([each for each in told if isinstance(each, PipelineStep)]):
        for each in of_rank:
            steps[each.step].append(each)
    bubbles = [measured_bubble(stages) for stages in steps.values() if len(stages) == comm.size]
    return {
        "stages": comm.size,
        "schedule": case.schedule,
        "micro_batches": case.micro_batches,
        "is_padded": case.is_padded,
        "ideal": ideal,
        "bubbles": bubbles,
        "peak_activations": max(each.peak_activations for stages in steps.values() for each in stages),
    }
