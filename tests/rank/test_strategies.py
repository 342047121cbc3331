"""A class for each strategy, as scripts use it; what it trains is tested with `train.fitting`."""

import pytest

import ringscope
from ringscope.contracts.training import STRATEGIES
from ringscope.rank import api

torch = pytest.importorskip("torch")


def test_every_strategy_has_a_class_of_its_name():
    from ringscope.rank.strategies import CLASSES, class_name

    assert [found.strategy for found in CLASSES.values()] == list(STRATEGIES)
    assert class_name("multi_worker_mirrored") == "MultiWorkerMirroredStrategy"
    assert {*CLASSES, "Strategy"} == {name for name in ringscope.__all__ if name.endswith("Strategy")}
    for name, found in CLASSES.items():
        assert getattr(ringscope, name) is found and issubclass(found, ringscope.Strategy)


def test_an_unknown_class_is_no_attribute():
    with pytest.raises(AttributeError, match="has no attribute 'CentralStorageStrategy'"):
        ringscope.CentralStorageStrategy  # noqa: B018


def test_models_of_a_scope_begin_equal_and_the_generators_are_as_before():
    strategy = ringscope.MirroredStrategy(seed=3)
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    with strategy.scope():
        first = torch.nn.Linear(2, 2).weight.detach()
    assert torch.equal(torch.rand(1), expected)
    with strategy.scope():
        assert torch.equal(torch.nn.Linear(2, 2).weight.detach(), first)


@pytest.mark.parametrize(
    ("name", "ranks", "options", "replicas"),
    [
        ("MirroredStrategy", 4, {}, 4),
        ("ParameterServerStrategy", 4, {"servers": 2}, 2),
        ("PipelineStrategy", 4, {"stages": 2}, 2),
        ("TensorStrategy", 2, {}, 1),
    ],
)
def test_replicas_are_counted_as_tensorflow_counts_them(name, ranks, options, replicas, monkeypatch):
    class Comm:
        rank, size = 1, ranks

    monkeypatch.setattr(api, "init", lambda transport, timeout_seconds: Comm)
    strategy = getattr(ringscope, name)(**options)
    assert (strategy.num_replicas_in_sync, strategy.rank) == (replicas, 1)


def test_a_bad_option_is_refused_when_the_strategy_is_made():
    with pytest.raises(
        ringscope.EngineError, match=r"^stages: mirrored does not use it; leave stages out or choose pip"
    ):
        ringscope.MirroredStrategy(stages=3)
    with pytest.raises(ringscope.EngineError, match="no node of Ringscope has a TPU; choose mirrored"):
        ringscope.TpuStrategy()
