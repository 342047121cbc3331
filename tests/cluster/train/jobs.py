"""Training jobs through the rank program, as an agent starts it."""

from ringscope.contracts.job import JobSpec
from ringscope.contracts.record import Record
from ringscope.rank.local import Run, run_local

SMALL = {
    "model_arguments": {"hidden": 8, "layers": 2},
    "dataset": {"name": "synthetic", "samples": 512},
    "global_batch_size": 32,
    "epochs": 2,
    "bucket_bytes": 65536,
    "all_reduce": "direct",
    "timeout_seconds": 60,
}


def run_training(ranks: int, **training: object) -> tuple[Run, list[Record]]:
    """The run and all records of a small training job."""
    return run_job(ranks, {"kind": "training", "training": SMALL | training})


def run_job(ranks: int, job: dict[str, object]) -> tuple[Run, list[Record]]:
    """The run and all records of any job."""
    run = Run()
    return run, list(run_local(JobSpec.model_validate(job | {"placement": {"ranks": ranks}}), run))
