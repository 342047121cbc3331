"""Run by test_flipped_bits.py: jobs in which one bit of a sum flips on one rank, at any step."""

import json
import random
import sys
import traceback
from typing import Any
from unittest.mock import patch

import torch

from ringscope.contracts.training import TrainingSpec
from ringscope.engine.communicator import Communicator
from ringscope.engine.errors import DifferenceError
from ringscope.engine.transports.mpi import abort
from ringscope.train.program import assemble
from ringscope.train.sums.sum_checks import SumChecks

SMALL: dict[str, Any] = {
    "model_arguments": {"hidden": 8, "layers": 2},
    "dataset": {"name": "synthetic", "samples": 512},
    "global_batch_size": 32,
    "bucket_bytes": 65536,
    "max_steps": 12,
    "verify_every": 5,
}
STRATEGIES = ({"strategy": "mirrored"}, {"strategy": "sharded"}, {"strategy": "local_sgd", "sync_every": 1})


def caught(comm: Communicator, number: int) -> tuple[bool, str]:
    """Run a job; return whether the rank was named within the interval, and the error's sentence."""
    chance = random.Random(number)
    rank, step = chance.randrange(comm.size), chance.randrange(10)
    spec = TrainingSpec.model_validate(SMALL | STRATEGIES[number % len(STRATEGIES)])
    trainer = assemble(comm, spec, lambda record: None, None)
    note, last = SumChecks.note, 0

    def flip(checks: SumChecks, now: int) -> None:
        nonlocal last
        last = now
        if (now, comm.rank) == (step, rank):
            tensors = checks._sums.alike
            words = tensors[chance.randrange(len(tensors))].view(torch.int32)
            words[chance.randrange(len(words))] ^= chance.choice([1, 1 << 12, 1 << 22])
        note(checks, now)

    with patch.object(SumChecks, "note", flip):
        try:
            trainer.run()
        except DifferenceError as error:
            return error.bad_rank == rank and last - step < SMALL["verify_every"], str(error)
        finally:
            trainer.close()
    return False, "nothing was found"


def main() -> None:
    """Tell how many of the flipped bits named their rank, and what was said otherwise."""
    torch.set_num_threads(1)
    comm, count = Communicator(), int(sys.argv[1])
    found = [caught(comm, number) for number in range(count)]
    if comm.rank == 0:
        wrong = [sentence for is_caught, sentence in found if not is_caught]
        sys.stdout.write(json.dumps({"name": "flips", "caught": count - len(wrong), "wrong": wrong}) + "\n")
    comm.free()


if __name__ == "__main__":
    try:
        main()
    except Exception:
        traceback.print_exc()
        abort(1)  # the others would wait for this rank for ever
