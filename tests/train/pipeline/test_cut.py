"""Cuts of layers by their times."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope.train.pipeline.cut import cut

TIMES = st.lists(st.integers(0, 50).map(float), min_size=1, max_size=8)


@given(TIMES, st.integers(1, 8))
def test_no_other_cut_has_a_faster_slowest_part(times_us: list[float], parts: int) -> None:
    parts = min(parts, len(times_us))
    found = cut(times_us, parts)
    assert [layer for part in found for layer in part] == list(range(len(times_us)))
    assert len(found) == parts and all(found)
    others = [
        max(sum(times_us[start:end]) for start, end in zip((0, *ends), (*ends, len(times_us)), strict=True))
        for ends in combinations(range(1, len(times_us)), parts - 1)
    ]
    assert max(sum(times_us[part.start : part.stop]) for part in found) == min(others)


def test_equal_layers_make_equal_parts_and_the_rest_is_even_too() -> None:
    assert cut([1.0] * 6, 3) == [range(2), range(2, 4), range(4, 6)]
    assert sorted(map(len, cut([1.0] * 7, 4))) == [1, 2, 2, 2]
    assert sorted(map(len, cut([5.0, 1.0, 1.0, 1.0, 1.0], 3))) == [1, 2, 2]


def test_more_parts_than_layers_are_refused() -> None:
    with pytest.raises(ValueError, match="2 layers for 3 parts"):
        cut([1.0, 1.0], 3)
