"""Training that diverges, by each strategy, on real ranks; and of one rank only."""

import pytest
from tests.cluster.train.jobs import run_training

from ringscope.contracts.record import Diverged

OFFERED = [
    {},
    {"compression": "top_k"},
    {"compression": "powersgd"},
    {"precision": "bfloat16"},
    {"strategy": "torch_ddp", "all_reduce": "auto"},
    {"strategy": "parameter_server", "all_reduce": "auto"},
    {"strategy": "parameter_server", "all_reduce": "auto", "consistency": "async"},
]


@pytest.mark.long
@pytest.mark.parametrize("options", OFFERED, ids=lambda options: " ".join(map(str, options.values())) or "mirrored")
def test_every_strategy_stops_with_the_sentence(options):
    ranks = 3 if options.get("strategy") == "parameter_server" else 2
    run, records = run_training(ranks, learning_rate=100.0, weight_decay=10.0, epochs=30, **options)
    assert run.exit_code != 0
    assert "The training diverged: " in run.reason, run.output
    assert any(isinstance(record, Diverged) for record in records)


@pytest.mark.long
def test_with_continue_it_goes_on_to_its_end_and_each_rank_tells_once():
    run, records = run_training(2, learning_rate=100.0, weight_decay=10.0, epochs=6, on_nan="continue")
    assert (run.exit_code, run.reason) == (0, "")
    assert sorted(record.rank for record in records if isinstance(record, Diverged)) == [0, 1]
