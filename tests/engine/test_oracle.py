import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope.bench.oracle import Piece, check, compare, expected_pattern, fill, pieces
from ringscope.schedule import partition
from ringscope.spec import COLLECTIVES

DTYPES = ["float32", "int32"]
COUNTS = st.sampled_from([1, 2, 10_006, 10_007, 10_008, 100_000, 700_000])


def summed(seed: int, ranks: int, count: int, dtype: str, order: list[int]) -> np.ndarray:
    total = np.zeros(count, dtype)
    for rank in order:
        part = np.empty(count, dtype)
        fill(part, seed, rank)
        total += part
    return total


@given(st.integers(0, 1000), st.permutations(range(5)), COUNTS, st.sampled_from(DTYPES))
def test_the_sum_is_exact_in_any_order(seed, order, count, dtype):
    result = summed(seed, 5, count, dtype, order)
    assert compare(result, expected_pattern(seed, range(5), np.dtype(dtype))) is None


@given(COUNTS, st.sampled_from(DTYPES), st.data())
def test_wrong_elements_are_counted_and_the_first_is_named(count, dtype, data):
    result = summed(3, 2, count, dtype, [0, 1])
    places = sorted(data.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=5)))
    want = result[places[0]]
    result[places] += 1
    found = compare(result, expected_pattern(3, range(2), np.dtype(dtype)))
    assert (found.wrong, found.first_index) == (len(places), places[0])
    assert (found.want, found.got) == (str(want), str(result[places[0]]))


def test_one_bit_is_enough():
    result = summed(1, 2, 100, "float32", [0, 1])
    result[7] = np.nextafter(result[7], np.float32(np.inf))
    assert compare(result, expected_pattern(1, range(2), np.dtype("float32"))).wrong == 1


@pytest.mark.parametrize("parts", [2, 3, 4, 8])
def test_swapped_chunks_are_noticed(parts):
    result = summed(1, 2, 1 << 16, "float32", [0, 1])
    length = result.size // parts
    swapped = result.copy()
    swapped[:length], swapped[length : 2 * length] = result[length : 2 * length], result[:length]
    assert compare(swapped, expected_pattern(1, range(2), np.dtype("float32"))).wrong > length


def test_a_missing_or_doubled_contribution_is_noticed():
    want = expected_pattern(1, range(3), np.dtype("int32"))
    assert compare(summed(1, 3, 1000, "int32", [0, 1]), want).wrong > 900
    assert compare(summed(1, 3, 1000, "int32", [0, 1, 1]), want).wrong > 900


def test_an_empty_result_is_right():
    assert compare(np.empty(0, "float32"), expected_pattern(1, range(2), np.dtype("float32"))) is None


def test_a_piece_is_compared_with_its_own_place():
    count, parts = 30_000, partition(30_000, 3)
    result = np.empty(count, "int32")
    fill(result, 1, 2)
    result = np.roll(result, parts[1].length)  # what rank 2 has from 0 on now lies in chunk 1
    assert check(result, 1, [Piece(parts[1], (2,), 0)]) is None
    assert check(result, 1, [Piece(parts[1], (2,), parts[1].offset)]).wrong > 9000
    result[parts[1].offset + 5] += 1
    found = check(result, 1, [Piece(parts[1], (2,), 0)])
    assert (found.wrong, found.first_index) == (1, parts[1].offset + 5)


@pytest.mark.parametrize("collective", COLLECTIVES)
@given(ranks=st.integers(1, 6), share=st.integers(0, 5))
def test_every_collective_has_its_pieces(collective, ranks, share):
    for rank in range(ranks):
        found = pieces(collective, ranks * share, ranks, rank, root=0)
        covered = sum(piece.target.length for piece in found)
        assert covered == {"reduce_scatter": share, "reduce": 0 if rank else ranks * share}.get(
            collective, ranks * share
        )
