"""A sharded job has the losses, parameters and checkpoints of the mirrored one, bit for bit, on real ranks.

The gate has the same on virtual ranks: tests/train/sharded/test_sharded.py.
"""

import pytest
from tests.train.sharded.comparison import GAP_BYTES, ROUNDED, VARIANTS

pytestmark = pytest.mark.long


@pytest.fixture(
    scope="module", params=[(ranks, [*VARIANTS], ["momentum", "adam"]) for ranks in (2, 3, 4)], ids=["2", "3", "4"]
)
def gang_of(request):
    return request.param


@pytest.fixture(scope="module")
def results(gang_of, gang, tmp_path_factory):
    ranks, names, resumes = gang_of
    folder = tmp_path_factory.mktemp("sharded")
    return gang(ranks, "sharded_main.py", str(folder), ",".join(names), ",".join(resumes))


def test_losses_parameters_and_checkpoints_are_bitwise_those_of_mirrored(results, gang_of):
    found = {name: [results[name][what] for what in ("losses", "parameters", "checkpoint")] for name in gang_of[1]}
    found.pop(ROUNDED, None)
    assert found == {name: [True] * 3 for name in gang_of[1] if name != ROUNDED}


def test_a_clipped_job_differs_only_by_the_rounding_of_the_norm(results):
    assert results.get(ROUNDED, {"difference": 0.0})["difference"] < 1e-6


def test_each_rank_holds_its_share_of_the_optimizers_state(results, gang_of):
    for name in {"momentum", "adam"}.intersection(gang_of[1]):
        whole_bytes, shares = results[name]["whole_bytes"], results[name]["state_bytes"]
        assert len(shares) == gang_of[0] and sum(shares) >= whole_bytes > 0
        assert max(shares) < whole_bytes / gang_of[0] + GAP_BYTES


def test_a_checkpoint_goes_on_with_either_strategy_and_any_number_of_ranks(results, gang_of):
    for name in gang_of[2]:
        found = results[f"resumed {name}"]
        for way in ("mirrored, then sharded", "sharded, then mirrored", "sharded, then sharded"):
            assert found[way] is True
        for strategy in ("mirrored", "sharded"):
            assert found[f"{strategy} on other ranks"] == 12
            assert found[f"{strategy} on other ranks, difference"] < 1e-5
