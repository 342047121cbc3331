"""A sharded job has the losses, parameters and checkpoints of the mirrored one, bit for bit."""

import pytest
from tests.cluster.train.sharded_main import VARIANTS

GAP_BYTES = 2 * 4 * 20 * 120  # two of adam's tensors: at both ends of a piece a whole cache line of 16 elements counts
ROUNDED = "clipping"  # the norm is added up in another order
ALL = [pytest.param((ranks, [*VARIANTS], ["momentum", "adam"]), marks=pytest.mark.long) for ranks in (2, 3, 4)]


@pytest.fixture(scope="module", params=[(2, ["adam"], []), *ALL], ids=["gate", "2", "3", "4"])
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


@pytest.mark.long
def test_a_checkpoint_goes_on_with_either_strategy_and_any_number_of_ranks(results, gang_of):
    for name in gang_of[2]:
        found = results[f"resumed {name}"]
        for way in ("mirrored, then sharded", "sharded, then mirrored", "sharded, then sharded"):
            assert found[way] is True
        for strategy in ("mirrored", "sharded"):
            assert found[f"{strategy} on other ranks"] == 12
            assert found[f"{strategy} on other ranks, difference"] < 1e-5
