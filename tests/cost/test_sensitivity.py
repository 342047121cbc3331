"""ringscope.cost.sensitivity."""

from math import inf

import pytest

from ringscope.contracts.cluster import ClusterSpec
from ringscope.cost.fitting.regimes import Regime
from ringscope.cost.sensitivity import sensitivities

NODES = ClusterSpec(shape="2x4", link="ib200", nics_per_node=1, reduce_gb_per_s=50).topology
MEASURED = Regime(inf, 2e-6, 1e-9, 1e-10, 1e-6, 5e-10)


def changes(regimes: tuple[Regime, ...], factor: float = 2.0) -> dict[str, float]:
    found = sensitivities(["ring"], 1 << 20, NODES, factor, regimes=regimes)
    return {item.figure: item.changed_time_s / item.time_s for item in found}


@pytest.mark.parametrize("regimes", [(), (MEASURED,)], ids=["links", "measured"])
def test_each_figure_moves_the_time_the_right_way(regimes: tuple[Regime, ...]) -> None:
    found = changes(regimes)
    assert found.keys() == {"latency", "bandwidth", "intra_latency", "intra_bandwidth", "adding", "size"}
    assert all(found[name] >= 1 for name in ("latency", "intra_latency", "size"))
    assert all(found[name] <= 1 for name in ("bandwidth", "intra_bandwidth", "adding"))
    assert found["size"] > 1 > found["bandwidth"]


@pytest.mark.parametrize("regimes", [(), (MEASURED,)], ids=["links", "measured"])
def test_a_factor_of_one_changes_nothing(regimes: tuple[Regime, ...]) -> None:
    assert changes(regimes, 1.0) == dict.fromkeys(changes(regimes), 1.0)


def test_figures_that_take_no_time_are_left_out() -> None:
    flat = ClusterSpec(shape="4", link="1GB/s").topology
    assert [item.figure for item in sensitivities(["ring"], 1 << 20, flat, 1.1)] == ["bandwidth", "size"]
