"""Several ranks train to the same parameters as one process does on the same global batch."""

import pytest
from tests.cluster.train.equal_main import STEPS, VARIANTS

pytestmark = pytest.mark.long

TOLERANCE = 1e-5  # after 50 steps in float32
ROUNDED = {
    "bfloat16": 3e-2,
    "sharded, bfloat16": 3e-2,
    "tensor, bfloat16": 3e-2,
    "fp16 sums": 1e-3,
}  # these compute, or send, fewer bits
LOSSY = ("top-k sums", "PowerSGD sums")  # these send a part, and the rest later
EXACT = [name for name in VARIANTS if name not in ROUNDED and name not in LOSSY]


@pytest.fixture(scope="module", params=[2, 3])
def results(request, gang):
    return gang(request.param, "equal_main.py")


@pytest.mark.parametrize("name", EXACT)
def test_it_equals_a_single_process(results, name):
    assert results[name]["difference"] < TOLERANCE
    assert results[name]["moved"] > 100 * TOLERANCE


@pytest.mark.parametrize("ranks", [1, 4])
def test_sharded_also_equals_a_single_process_on_other_numbers_of_ranks(gang, ranks):
    results = gang(ranks, "equal_main.py", "sharded")
    assert len(results) >= 7
    for name, found in results.items():
        assert found["difference"] < ROUNDED.get(name, TOLERANCE)
        assert len(set(found["digests"])) == 1


def test_two_pipelines_of_two_stages_equal_a_single_process(gang):
    results = gang(4, "equal_main.py", "pipeline")
    assert len(results) == 3
    for found in results.values():
        assert found["difference"] < TOLERANCE
        assert len(set(found["digests"])) == 1


@pytest.mark.parametrize("ranks", [1, 4])
def test_tensor_also_equals_a_single_process_on_other_numbers_of_ranks(gang, ranks):
    results = gang(ranks, "equal_main.py", "tensor")
    assert len(results) == 6
    for name, found in results.items():
        assert found["difference"] < ROUNDED.get(name, TOLERANCE)
        assert len(set(found["digests"])) == 1


@pytest.mark.parametrize("name", ROUNDED)
def test_with_fewer_bits_it_is_close_to_a_single_process(results, name):
    assert 0 < results[name]["difference"] < ROUNDED[name]


@pytest.mark.parametrize("name", LOSSY)
def test_with_less_sent_it_goes_the_same_way(results, name):
    assert 0 < results[name]["difference"] < results[name]["moved"]


@pytest.mark.parametrize("name", VARIANTS)
def test_all_replicas_are_bitwise_equal(results, name):
    assert len(set(results[name]["digests"])) == 1


def test_overlap_changes_no_bit(results):
    digests = {name: results[name]["digests"][0] for name in results}
    assert digests["direct"] == digests["no overlap"]
    assert digests["small buckets"] == digests["no overlap, small buckets"]
    assert digests["accumulation"] == digests["accumulation, no overlap"]


def test_a_slow_rank_gets_fewer_samples_and_the_result_stays(results):
    samples = results["speed"]["samples"]
    assert len(samples) == STEPS
    assert samples[0] > samples[-1] >= 1
