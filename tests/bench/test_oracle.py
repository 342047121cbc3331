from collections.abc import Sequence
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.fakes.fixture import cupy as cupy

from ringscope.bench import oracle
from ringscope.bench.oracle import Case, Piece, check, compare, expected_pattern, fill, pattern, pieces
from ringscope.contracts.words.collectives import COLLECTIVES
from ringscope.contracts.words.dtypes import DTYPES, ops_of
from ringscope.schedules.schedule import Chunk, partition

COUNTS = st.sampled_from([1, 2, 10_006, 10_007, 10_008, 100_000, 700_000])
REDUCTIONS = st.sampled_from([(dtype, op) for dtype in DTYPES for op in ops_of(dtype) if op != "avg"])
COMBINE = {"sum": np.add, "avg": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}


def case(dtype: str = "float32", op: str = "sum", ranks: int = 2, seed: int = 1) -> Case:
    return Case(np.dtype(dtype), op, ranks, seed)


def combined(this: Case, count: int, order: Sequence[int]) -> np.ndarray:
    parts = []
    for rank in order:
        parts.append(np.empty(count, this.dtype))
        fill(parts[-1], this, rank)
    return reduce(COMBINE[this.op], parts)


@given(
    REDUCTIONS,
    st.permutations(range(9)),
    st.integers(0, 9),
)
def test_the_result_is_exact_in_any_order(reduction, order, seed):
    dtype, op = reduction
    this = case(dtype, op, len(order), seed)
    assert compare(combined(this, 10_008, order), expected_pattern(this, order)) is None


@given(st.sampled_from(DTYPES), st.sampled_from([1, 2, 3, 7, 100, 300]))
def test_sums_of_averages_are_exact_too(dtype, ranks):
    this = case(dtype, "avg", ranks)
    wide = np.complex128 if np.dtype(dtype).kind == "c" else np.float64
    total = sum(pattern(this, rank).astype(wide) for rank in range(ranks))
    assert (total.astype(dtype).astype(wide) == total).all(), "no rounding, no wrapping around"
    want = expected_pattern(this, range(ranks)).astype(wide)
    assert np.abs(want - total / ranks).max() < (
        1 if np.dtype(dtype).kind in "iu" else np.abs(total).max() / 100 + 1e-9
    )


def test_integers_take_all_bits():
    assert np.unique(pattern(case("int8"), 0)).size == 256


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_both_parts_of_a_complex_number_have_to_be_right(dtype):
    this = case(dtype)
    result, want = combined(this, 30_000, [0, 1]), expected_pattern(this, [0, 1])
    assert np.unique(result.real).size > 100 < np.unique(result.imag).size
    assert (result.real != result.imag).any()
    result[20_007] += 1j
    result[20_011] += 1
    result[20_012] += 1 + 1j
    found = compare(result, want)
    assert (found.wrong, found.first_index) == (3, 20_007)
    assert (found.want, found.got) == (str(want[20_007 % want.size]), str(result[20_007]))
    assert compare(result[:20_007], want) is None


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 6, 7, 12])
def test_a_mean_may_be_rounded_at_its_inputs_as_nccl_does(dtype, ranks):
    this = case(dtype, "avg", ranks)
    share = np.array(1 / ranks, dtype)
    parts = [(pattern(this, rank) * share).astype(dtype) for rank in range(ranks)]
    total = reduce(lambda one, other: (one + other).astype(dtype), parts)
    everyone = [Piece(Chunk(0, total.size), tuple(range(ranks)), 0)]
    assert check(total, this, everyone) is None
    once = (reduce(np.add, [pattern(this, rank) for rank in range(ranks)]) / ranks).astype(dtype)
    assert check(once, this, everyone) is None


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128"])
def test_a_mean_without_a_rank_or_with_another_element_is_wrong(dtype):
    this = case(dtype, "avg", 3)
    everyone = [Piece(Chunk(0, 10_007), (0, 1, 2), 0)]
    right = expected_pattern(this, range(3))
    short = ((pattern(this, 0) + pattern(this, 1)) / 3).astype(dtype)
    assert check(short, this, everyone).wrong > 9000
    assert check(np.roll(right, 1), this, everyone).wrong > 9000
    for spoilt in (np.nan, np.inf):
        broken = right.copy()
        broken[7] = spoilt
        assert check(broken, this, everyone).wrong == 1


@given(COUNTS, st.sampled_from(["float32", "int32"]), st.data())
def test_wrong_elements_are_counted_and_the_first_is_named(count, dtype, data):
    this = case(dtype)
    result = combined(this, count, [0, 1])
    places = sorted(data.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=5)))
    want = result[places[0]]
    result[places] += 1
    found = compare(result, expected_pattern(this, [0, 1]))
    assert (found.wrong, found.first_index) == (len(places), places[0])
    assert (found.want, found.got) == (str(want), str(result[places[0]]))


def test_one_bit_is_enough():
    result = combined(case(), 100, [0, 1])
    result[7] = np.nextafter(result[7], np.float32(np.inf))
    assert compare(result, expected_pattern(case(), range(2))).wrong == 1


@pytest.mark.parametrize("parts", [2, 3, 4, 8])
def test_swapped_chunks_are_noticed(parts):
    result = combined(case(), 1 << 16, [0, 1])
    length = result.size // parts
    swapped = result.copy()
    swapped[:length], swapped[length : 2 * length] = result[length : 2 * length], result[:length]
    assert compare(swapped, expected_pattern(case(), range(2))).wrong > length


def test_a_missing_or_doubled_contribution_is_noticed():
    this = case("int32", ranks=3)
    want = expected_pattern(this, range(3))
    assert compare(combined(this, 1000, [0, 1]), want).wrong > 900
    assert compare(combined(this, 1000, [0, 1, 1, 2]), want).wrong > 900


def test_an_empty_result_is_right():
    assert compare(np.empty(0, "float32"), expected_pattern(case(), range(2))) is None


def test_a_piece_is_compared_with_its_own_place():
    count, parts = 30_000, partition(30_000, 3)
    result = np.empty(count, "int32")
    this = case("int32", "none", 3)
    fill(result, this, 2)
    result = np.roll(result, parts[1].length)  # what rank 2 has from 0 on now lies in chunk 1
    assert check(result, this, [Piece(parts[1], (2,), 0)]) is None
    assert check(result, this, [Piece(parts[1], (2,), parts[1].offset)]).wrong > 9000
    result[parts[1].offset + 5] += 1
    found = check(result, this, [Piece(parts[1], (2,), 0)])
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


@pytest.mark.parametrize("dtype", ["int8", "float16", "bfloat16", "float64", "complex64"])
def test_a_result_on_a_gpu_is_filled_and_compared_there(cupy, dtype):
    this, count = case(dtype), 1_500_000
    values = cupy.empty(count, this.dtype)
    fill(values, this, 0)
    host = np.empty(count, this.dtype)
    fill(host, this, 0)
    assert (values._host == host).all()
    wanted = [Piece(Chunk(0, count), (0,), 0)]
    assert check(values, this, wanted) is None
    parts = 2 if this.dtype.kind == "c" else 1
    assert max(call[1] for call in cupy.fake.calls if call[0] == "set") <= oracle._ROWS * oracle._PERIOD * parts
    assert "get" not in cupy.fake.names(), "nothing but a number comes back"
    for wrong in (700_003, 1_400_000, 1_400_001):
        values._host[wrong] = 101 if values._host[wrong] != 101 else 100
    found = check(values, this, wanted)
    assert found == check(values._host, this, wanted)
    assert found is not None and (found.wrong, found.first_index) == (3, 700_003)


def test_a_mean_on_a_gpu_is_compared_block_by_block(cupy):
    this, count = case(op="avg"), 1_500_000
    values = cupy.empty(count, this.dtype)
    values.set(np.resize(expected_pattern(this, (0, 1)), count))
    wanted = [Piece(Chunk(0, count), (0, 1), 0)]
    assert check(values, this, wanted) is None
    assert max(call[1] for call in cupy.fake.calls if call[0] == "get") <= oracle._ROWS * oracle._PERIOD
    values._host[1_000_000] += 1
    found = check(values, this, wanted)
    assert found is not None and (found.wrong, found.first_index) == (1, 1_000_000)
