"""A sharded job has the losses, parameters and checkpoints of the mirrored one, bit for bit, on virtual ranks."""

import threading

import numpy as np
import pytest
from tests.train.sharded.comparison import GAP_BYTES, ROUNDED, VARIANTS, compared
from tests.train.virtual_ranks import ScheduledCommunicator, on_ranks

from ringscope.train import models
from ringscope.train.inputs import Material
from ringscope.train.program import assemble

_BUILDING = threading.Lock()
# The variant "messages" differs by its transport alone, which virtual ranks have none of.
CASES = [(2, "adam"), (3, "momentum"), (3, "accumulation"), (4, "pipelined"), (2, ROUNDED)]


def assembled(comm, spec, emit, folder):
    """The trainer of a virtual rank; PyTorch's generator is shared by all threads."""

    def model(spec, dataset):
        comm.total(np.zeros(1, np.int64))  # once all ranks have set the seed, one after another builds
        with _BUILDING:
            return models.build(spec, dataset)

    return assemble(comm, spec, emit, folder, material=Material(model=model))


@pytest.mark.parametrize(("ranks", "name"), CASES)
def test_a_sharded_job_is_the_mirrored_one_with_a_share_of_its_state_on_each_rank(ranks, name, tmp_path):
    def program(comm):
        return compared(comm, name, VARIANTS[name], tmp_path, assembled)

    found = on_ranks(ranks, program, ScheduledCommunicator)[0]
    same = [found[what] for what in ("losses", "parameters", "checkpoint")]
    if name == ROUNDED:
        assert found["difference"] < 1e-6
    else:
        assert same == [True] * 3
    shares = found["state_bytes"]
    assert len(shares) == ranks and sum(shares) >= found["whole_bytes"] > 0
    assert max(shares) < found["whole_bytes"] / ranks + GAP_BYTES
