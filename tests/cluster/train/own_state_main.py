"""Run by test_resume.py: where ranks have state of their own, a run in two pieces beside an unbroken one."""

import json
import sys
import traceback
from pathlib import Path

import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.engine.communicator import Communicator
from ringscope.engine.transports.mpi import abort
from ringscope.train.digest import digest
from ringscope.train.program import assemble

SMALL = {
    "model_arguments": {"hidden": 8, "layers": 2},
    "dataset": {"name": "synthetic", "samples": 512},
    "global_batch_size": 32,
    "bucket_bytes": 65536,
}


WAYS = {
    "top_k": {"compression": "top_k"},
    "powersgd": {"compression": "powersgd"},
    "local_sgd": {"strategy": "local_sgd", "sync_every": 3, "outer_momentum": 0.5, "split": "by_label"},
}


def main() -> None:
    """Print the digests of an unbroken and a resumed training for each of WAYS."""
    torch.set_num_threads(1)
    comm, folder = Communicator(), Path(sys.argv[1])
    for way, options in WAYS.items():
        found = {}
        for name, pieces in (("unbroken", [20]), ("broken", [7, 20])):
            for max_steps in pieces:
                changes = options | {"max_steps": max_steps, "checkpoint_every_steps": 7}
                spec = TrainingSpec.model_validate(SMALL | changes)
                trainer = assemble(comm, spec, lambda record: None, folder / way / name)
                trainer.run()
                trainer.close()
            found[name] = digest(trainer.module)
        if comm.rank == 0:
            sys.stdout.write(json.dumps({"name": way} | found) + "\n")
    comm.free()


if __name__ == "__main__":
    try:
        main()
    except Exception:
        traceback.print_exc()
        abort(1)  # the others would wait for this rank for ever
