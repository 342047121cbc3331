"""All pairs in rounds of disjoint pairs."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope.diagnosis.rounds import all_pairs


@given(st.integers(0, 40))
def test_each_pair_is_there_exactly_once_and_no_node_twice_in_a_round(count: int) -> None:
    nodes = [f"h{index}" for index in range(count)]
    rounds = all_pairs(nodes)
    assert len(rounds) == (0 if count < 2 else count - 1 + count % 2)
    for pairs in rounds:
        members = [node for pair in pairs for node in pair]
        assert len(members) == len(set(members)) and len(pairs) == count // 2
    met = [frozenset(pair) for pairs in rounds for pair in pairs]
    assert len(met) == len(set(met))
    assert set(met) == {frozenset(pair) for pair in combinations(nodes, 2)}


def test_a_node_that_is_named_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        all_pairs(["h0", "h1", "h0"])
