"""The operations themselves: halves through the library are NumPy's results, bit by bit."""

import numpy as np
import pytest

from ringscope.engine.memory import arithmetic
from ringscope.engine.memory.arithmetic import reduction


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_added_as_numpy_adds_them(dtype):
    random = np.random.default_rng(1)
    first, second = (random.integers(0, 1 << 16, 1 << 18, np.uint16).view(dtype) for _ in range(2))
    with np.errstate(all="ignore"):
        want = first + second
    result = first.copy()
    reduction("sum", result.dtype, 2).combine(result, second, result)
    numbers = ~np.isnan(want)
    assert (result.view(np.uint16) == want.view(np.uint16))[numbers].all()
    assert np.isnan(result[~numbers]).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_library_that_rounds_otherwise_is_not_used(monkeypatch, dtype):
    def truncate(first, second, *, out, **_):
        np.add(first, second, out=out, casting="unsafe")
        out.view(np.uint16)[:] ^= 1

    monkeypatch.setattr("numkong.blend", truncate)
    arithmetic._adds_exactly.cache_clear()
    assert reduction("sum", np.dtype(dtype), 2).combine is np.add
    assert reduction("avg", np.dtype(dtype), 2).combine is np.add
    arithmetic._adds_exactly.cache_clear()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 7, 16])
def test_an_average_is_within_an_ulp(dtype, ranks):
    total = np.random.default_rng(2).standard_normal(10_000).astype(dtype)
    result = total.copy()
    reduction("avg", result.dtype, ranks).finish(result)
    want = (total.astype(np.float64) / ranks).astype(dtype)
    bits = f"i{total.itemsize}"
    assert np.abs(result.view(bits).astype(np.int64) - want.view(bits).astype(np.int64)).max() <= 1


def test_complex_numbers_are_averaged_part_by_part():
    total = np.array([complex(6, -9), complex(np.inf, 3), complex(0, -np.inf)], "complex64")
    reduction("avg", total.dtype, 3).finish(total)
    assert total.tolist() == [complex(2, -3), complex(np.inf, 1), complex(0, -np.inf)]


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64"])
@pytest.mark.parametrize("ranks", [1, 3, 128, 300])
def test_integer_averages_are_cut_towards_zero_at_the_ends_of_the_range(dtype, ranks):
    limits = np.iinfo(dtype)
    values = [limits.min, limits.min + 1, 0, 1, limits.max - 1, limits.max]
    result = np.array(values, dtype)
    reduction("avg", result.dtype, ranks).finish(result)
    assert result.tolist() == [abs(value) // ranks * (-1 if value < 0 else 1) for value in values]
