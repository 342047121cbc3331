"""The jobs that may continue with fewer ranks, and the sentence for the others."""

from typing import Any

import pytest
from pydantic import ValidationError

from ringscope.contracts.job import JobSpec

ELASTIC = {"kind": "training", "training": {}, "placement": {"ranks": 4, "min_ranks": 2}}


@pytest.mark.parametrize("strategy", ["mirrored", "multi_worker_mirrored", "sharded"])
def test_a_job_of_these_strategies_can_have_fewer_ranks(strategy: str) -> None:
    spec = JobSpec.model_validate(ELASTIC | {"training": {"strategy": strategy}})
    smaller = JobSpec.model_validate_json(spec.with_ranks(3).model_dump_json())
    assert (spec.ranks, smaller.ranks, smaller.placement.min_ranks) == (4, 3, 2)
    assert spec.with_ranks(4) is spec


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"placement": {"ranks": 4, "min_ranks": 5}}, "5 are more than 4 ranks; lower it."),
        (
            {"placement": {"ranks": 4, "min_ranks": 2, "ranks_per_node": 2}},
            "it fixes the shape of a gang that may shrink; leave out ranks_per_node or min_ranks.",
        ),
        (
            {"training": {"strategy": "sharded"}, "placement": {"ranks": 4, "min_ranks": 2, "nodes": 2}},
            "it fixes the shape of a gang that may shrink; leave out nodes or min_ranks.",
        ),
        (
            {"training": {"strategy": "local_sgd"}},
            "local_sgd cannot continue with fewer ranks; leave it out, or train with one of mirrored, "
            "multi_worker_mirrored, sharded.",
        ),
        (
            {"training": {"compression": "top_k"}},
            "what top_k has not sent yet is lost with its rank; choose none or fp16, or leave out placement.min_ranks.",
        ),
        (
            {"training": {"strategy": "sharded", "all_reduce": "halving_doubling"}},
            "halving_doubling leaves equal shares only with some numbers of ranks; choose auto, or leave out "
            "placement.min_ranks.",
        ),
        (
            {"kind": "benchmark", "training": None},
            "only training jobs can run with fewer ranks; leave it out, or train with one of mirrored, "
            "multi_worker_mirrored, sharded.",
        ),
    ],
)
def test_what_cannot_have_fewer_ranks_is_refused_in_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError) as refused:
        JobSpec.model_validate(ELASTIC | changes)
    assert [error["msg"] for error in refused.value.errors()] == [sentence]
