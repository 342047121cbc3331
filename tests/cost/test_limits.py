"""No schedule passes the limit of its links."""

from typing import Any, get_args

import pytest

from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.words.collectives import SCHEDULED, Collective
from ringscope.cost.limits import bus_limit_gb_per_s
from ringscope.cost.prices import prices
from ringscope.schedules.algorithms import SCHEDULES


@pytest.mark.parametrize(
    ("shape", "limit"),
    [
        ({"shape": "8", "link": "2GB/s"}, 2),
        ({"shape": "1x8", "link": "2GB/s", "intra": "100GB/s"}, 100),
        # 4 nodes send 2·3/4 of the buffer through 8 cards: the other 31 ranks' share of it counts for the bus.
        ({"shape": "4x8", "link": "2GB/s", "intra": "100GB/s"}, 16 * 4 / 3 * 31 / 32),
        ({"shape": "4x8", "link": "2GB/s", "intra": "100GB/s", "nics_per_node": 1}, 2 * 4 / 3 * 31 / 32),
        ({"shape": "2x2x4", "link": "2GB/s", "oversubscription": 4}, 8 * 2 / 4 * 2 / 1 * 15 / 16),
        ({"shape": "1"}, 0),
    ],
)
def test_no_schedule_of_an_all_reduce_passes_the_limit(shape: dict[str, Any], limit: float) -> None:
    topology = ClusterSpec.model_validate(shape).topology
    assert bus_limit_gb_per_s(topology) == pytest.approx(limit)
    fastest = max(price.busbw_gb_per_s for price in prices(SCHEDULES, 1 << 28, topology))
    assert fastest <= limit * 1.0001


@pytest.mark.parametrize("collective", get_args(Collective))
@pytest.mark.parametrize(
    "shape",
    [
        {"shape": "6", "link": "2GB/s"},
        {"shape": "1x4", "link": "2GB/s", "intra": "100GB/s"},
        {"shape": "2x4", "link": "2GB/s", "intra": "100GB/s"},
        {"shape": "4x2", "link": "2GB/s", "intra": "100GB/s", "nics_per_node": 1},
        {"shape": "2x2x4", "link": "2GB/s", "intra": "100GB/s", "oversubscription": 4},
    ],
    ids=lambda shape: shape["shape"],
)
def test_nor_does_any_of_another_collective_and_the_best_comes_near(shape: dict[str, Any], collective: Collective):
    topology = ClusterSpec.model_validate(shape).topology
    limit = bus_limit_gb_per_s(topology, collective)
    fastest = max(
        price.busbw_gb_per_s for price in prices(list(SCHEDULED[collective]), 1 << 28, topology, collective=collective)
    )
    assert limit / 8 < fastest <= limit * 1.0001
