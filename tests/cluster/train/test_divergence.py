"""Training that diverges, by each strategy, on real ranks; and of one rank only."""

import pytest
from tests.cluster.train.jobs import run_training

from ringscope.contracts.training.record import Diverged

OFFERED = [
    {},
    {"compression": "top_k"},
    {"compression": "powersgd"},
    {"precision": "bfloat16"},
    {"strategy": "sharded"},
    {"strategy": "local_sgd"},
    {"strategy": "torch_ddp", "all_reduce": "auto"},
    {"strategy": "torch_fsdp", "all_reduce": "auto"},
    {"strategy": "parameter_server", "all_reduce": "auto"},
    {"strategy": "parameter_server", "all_reduce": "auto", "consistency": "async"},
]


@pytest.mark.long
@pytest.mark.parametrize("options", OFFERED, ids=lambda options: " ".join(map(str, options.values())) or "mirrored")
def test_every_strategy_stops_with_the_sentence(options):
    ranks = 3 if options.get("strategy") == "parameter_server" else 2
    run, records = run_training(ranks, learning_rate=100.0, weight_decay=10.0, epochs=30, **options)
    assert run.exit_code != 0
    assert "The training diverged: " in run.reason, (run.reason, run.output)
    assert any(isinstance(record, Diverged) for record in records)


@pytest.mark.long
def test_ranks_that_skip_a_step_agree_about_it_and_name_the_rank():
    run, records = run_training(2, learning_rate=100.0, weight_decay=10.0, epochs=30, on_nan="skip")
    assert run.exit_code != 0
    assert "steps in a row were skipped" in run.reason, run.output
    (found,) = [record for record in records if isinstance(record, Diverged)]
    assert (found.rank, found.what, found.is_skipped) == (0, "gradient", True)
