"""The ratio of two candidates of a search, and how sure it is."""

import random
from statistics import mean

import pytest
from tests.search.runs import of_rounds

from ringscope.search.ratios import Spread, against


def test_the_spread_is_that_of_all_pairs_with_the_freedom_of_all() -> None:
    factors = {"ring": [1.0, 1.1, 0.9], "ddp": [1.1, 1.0, 0.9], "servers": [0.9, 1.1, 1.0]}
    found = Spread.of(of_rounds({name: [100 * factor for factor in each] for name, each in factors.items()}))
    assert found is not None and found.freedom == (3 - 1) * (3 - 1)
    assert Spread.of(of_rounds({"ring": [100.0], "ddp": [200.0]})) is None


def test_other_candidates_make_a_pair_surer_but_not_a_pair_that_varies_more() -> None:
    calm = {"ring": [100.0, 102.0, 99.0], "ddp": [120.0, 124.0, 116.0]}
    others = {"servers": [150.0, 152.0, 149.0], "sharded": [150.0, 149.0, 152.0], "fp16": [151.0, 149.0, 150.0]}
    alone, among = (against(of_rounds(times), "ring", "ddp") for times in (calm, calm | others))
    assert alone is not None and among is not None and among.value == pytest.approx(alone.value)
    assert among.chance < alone.chance / 5
    assert alone.low is not None and among.low is not None and among.low > alone.low
    wild = {"ring": [100.0, 160.0, 70.0], "ddp": [120.0, 90.0, 190.0]}
    ratio = against(of_rounds(wild | others), "ring", "ddp")
    assert ratio is not None and ratio.low is not None and ratio.low < 1


def test_the_interval_holds_the_ratio_as_often_as_it_says() -> None:
    generator = random.Random(7)
    names = ["ring", "ddp", "servers", "sharded"]
    held = []
    for _ in range(200):
        times = {name: [100 * generator.lognormvariate(0, 0.1) for _ in range(4)] for name in names}
        ratio = against(of_rounds(times), "ring", "ddp")
        assert ratio is not None and ratio.low is not None and ratio.high is not None
        held.append(ratio.low <= 1 <= ratio.high)
    assert 0.92 <= mean(held) <= 1.0
