"""A search finds the candidates that these ranks can run, and gives the reason for every other one."""

import pytest

from ringscope.contracts.errors import UserError
from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.contracts.training import STRATEGIES, TENSORFLOW
from ringscope.search.candidates import INEXACT, OPTIONS, Situation, candidates

TORCH = {"torch"}


def names(spec: StrategySearchSpec, situation: Situation) -> list[str]:
    return [each.name for each in candidates(spec, situation).chosen]


def reasons(spec: StrategySearchSpec, situation: Situation) -> dict[str, str]:
    return {each.name: each.reason for each in candidates(spec, situation).left_out}


def test_every_strategy_is_a_candidate_or_known_not_to_be() -> None:
    covered = {options["strategy"] for options in OPTIONS.values()}
    assert set(STRATEGIES) - covered == {"multi_worker_mirrored", "tf_multi_worker_mirrored", "tpu"}
    assert set(OPTIONS) >= INEXACT


def test_all_candidates_train_the_same_with_their_own_options() -> None:
    spec = StrategySearchSpec(global_batch_size=128, learning_rate=0.1, seed=5)
    found = candidates(spec, Situation(4, 1, TORCH | {"tensorflow"}))
    assert {each.training.seed for each in found.chosen} == {5}
    assert {(each.training.global_batch_size, each.training.learning_rate) for each in found.chosen} == {(128, 0.1)}
    by_name = {each.name: each.training for each in found.chosen}
    assert by_name["mirrored-ring"].all_reduce == "ring" and by_name["parameter_server-sharded"].servers == 2
    assert set(by_name) | {each.name for each in found.left_out} == set(OPTIONS)


def test_a_strategy_stands_for_its_candidates_and_a_candidate_for_itself() -> None:
    spec = StrategySearchSpec(strategies=["parameter_server", "mirrored-ring", "torch_ddp"])
    assert names(spec, Situation(4, 1, TORCH)) == [
        *("parameter_server-sync", "parameter_server-ssp", "parameter_server-async", "parameter_server-sharded"),
        *("mirrored-ring", "torch_ddp"),
    ]
    assert names(StrategySearchSpec(strategies=["mirrored-auto", "torch_ddp"]), Situation(4)) == [
        "mirrored-auto",
        "torch_ddp",
    ]
    with pytest.raises(UserError, match="there is no candidate horovod; choose all, strategies such as mirrored"):
        candidates(StrategySearchSpec(strategies=["horovod"]), Situation(4))


def test_on_several_nodes_a_strategy_for_one_is_replaced() -> None:
    found = candidates(StrategySearchSpec(strategies=["mirrored", "tf_mirrored"]), Situation(4, 2))
    by_name = {each.name: each.training.strategy for each in found.chosen}
    assert set(by_name.values()) == {"multi_worker_mirrored", "tf_multi_worker_mirrored"}
    assert "mirrored-hierarchical" in by_name


def test_what_cannot_run_here_is_left_out_with_its_reason() -> None:
    found = reasons(StrategySearchSpec(model="cnn"), Situation(3, 1, TORCH))
    assert found["tf_mirrored"] == (
        "a node has no tensorflow, which it needs: pip install 'ringscope[tensorflow]' there."
    )
    assert found["mirrored-halving_doubling"] == "3 ranks are no power of 2."
    assert found["mirrored-hierarchical"] == "it differs from the others only on several nodes."
    assert found["pipeline"] == "stages: 3 ranks are no multiple of 2 stages; change one of them."
    shallow = StrategySearchSpec(model="mlp", model_arguments={"layers": 1, "hidden": 8})
    assert "pipeline" not in reasons(shallow, Situation(2, 1, TORCH))  # two layers, two stages
    tokens = StrategySearchSpec.model_validate({"model": "gpt", "dataset": {"name": "synthetic"}})
    assert "gpt is not available for TensorFlow" in reasons(tokens, Situation(2))["tf_mirrored"]
    own = StrategySearchSpec.model_validate({"model": {"file": "net.py"}})
    assert {name for name in reasons(own, Situation(4)) if name.startswith("tf_")} == TENSORFLOW & set(OPTIONS)


@pytest.mark.parametrize(
    ("strategies", "situation", "sentence"),
    [
        (
            ["all"],
            Situation(4, 1, ()),
            r"compares at least 2, and none of its candidates can run here\. mirrored-auto: a node",
        ),
        (["torch_ddp"], Situation(4), r"at least 2, and only torch_ddp can run here\.$"),
        (["torch_ddp", "pipeline"], Situation(3), r"only torch_ddp can run here\. pipeline: stages: 3 ranks are no"),
        (["all"], Situation(1), r"none .* can run here\. mirrored-auto: one rank has nothing to exchange"),
    ],
)
def test_fewer_than_two_candidates_are_an_error(strategies: list[str], situation: Situation, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        candidates(StrategySearchSpec(strategies=strategies), situation)
