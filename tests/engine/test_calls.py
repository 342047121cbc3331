"""All ranks must agree on a call before it starts, and no rank may make an impossible one."""

import numpy as np
import pytest

from ringscope.engine.base import Array
from ringscope.engine.calls import (
    Call,
    Place,
    all_reduce_call,
    array_size,
    empty_call,
    give_back_call,
    needs_staging,
    require_agreement,
)
from ringscope.engine.errors import EngineError


def registered(x: Array) -> Place:
    return 0, 64


def elsewhere(x: Array) -> Place:
    return -1, 0


def every(*calls: Call) -> Array:
    return np.array([call.numbers() for call in calls])


def test_the_same_call_on_every_rank_is_agreed() -> None:
    x = np.zeros(8, "float32")
    call = all_reduce_call(x, x, "sum", "ring", registered)
    require_agreement(every(call, call, call))
    assert not needs_staging(every(call, call))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dtype": "float64"}, "rank 1 differs from rank 0 in dtype (float64 against float32)"),
        ({"count": 9}, "rank 1 differs from rank 0 in length (9 elements against 8 elements)"),
        ({"op": "max"}, "rank 1 differs from rank 0 in op (max against sum)"),
        ({"algorithm": "tree"}, "rank 1 differs from rank 0 in algorithm (tree against ring)"),
        ({"in_place": False}, "in in place or out of place (out against in)"),
    ],
)
def test_who_differs_is_named_with_both_values(changes: dict[str, object], words: str) -> None:
    def call(
        dtype: str = "float32", count: int = 8, op: str = "sum", algorithm: str = "ring", in_place: bool = True
    ) -> Call:
        x = np.zeros(count, dtype)
        return all_reduce_call(x, x if in_place else np.zeros_like(x), op, algorithm, registered)

    with pytest.raises(EngineError) as error:
        require_agreement(every(call(), call(**changes)))  # type: ignore[arg-type]
    assert words in str(error.value)


def test_another_function_is_a_difference() -> None:
    x = np.zeros(8, "float32")
    with pytest.raises(EngineError, match=r"function \(empty against all_reduce\)"):
        require_agreement(every(all_reduce_call(x, x, "sum", "ring", registered), empty_call(8)))


@pytest.mark.parametrize(
    ("mine", "other", "words"),
    [
        (empty_call(4096), empty_call(512), "empty: rank 1 differs from rank 0 in size (512 bytes against 4096 bytes)"),
        (
            give_back_call(3),
            give_back_call(5),
            "free: rank 1 differs from rank 0 in which array"
            " (number 5 of the arrays from empty against number 3 of the arrays from empty)",
        ),
    ],
)
def test_memory_is_told_in_its_own_words(mine: Call, other: Call, words: str) -> None:
    with pytest.raises(EngineError) as error:
        require_agreement(every(mine, other))
    assert words in str(error.value)


def test_memory_that_some_rank_has_elsewhere_is_staged() -> None:
    x = np.zeros(8, "float32")
    here, there = (all_reduce_call(x, x, "sum", "ring", place) for place in (registered, elsewhere))
    assert needs_staging(every(here, there))
    assert needs_staging(every(there, there))


@pytest.mark.parametrize(
    ("x", "out", "words"),
    [
        ([1.0], None, "x: a list is not a NumPy or CuPy array"),
        (np.zeros((4, 4))[:, 1], None, "x: the array is not contiguous"),
        (np.zeros(4), np.zeros(5), "does not match x"),
        (np.zeros(4, "int16"), None, "dtype: int16 is not supported"),
    ],
)
def test_what_cannot_be_reduced_is_one_sentence(x: object, out: object, words: str) -> None:
    with pytest.raises(EngineError) as error:
        all_reduce_call(x, x if out is None else out, "sum", "ring", registered)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("shape", "dtype", "size_bytes"),
    [(3, "float32", 12), ((2, np.int64(5)), "bfloat16", 20), ((), "int8", 1), ((4, 0), "complex128", 0)],
)
def test_an_array_has_a_size(shape: int | tuple[int, ...], dtype: str, size_bytes: int) -> None:
    assert array_size(shape, dtype) == size_bytes


@pytest.mark.parametrize(
    ("shape", "dtype", "sentence"),
    [
        (-1, "float32", r"^shape: -1 is not a shape; give a whole number, or a tuple of them, each 0 or more\.$"),
        ((-2, -3), "float32", r"^shape: \(-2, -3\) is not a shape; "),
        (1.5, "float32", r"^shape: 1\.5 is not a shape; "),
        ([2, 3], "float32", r"^shape: \[2, 3\] is not a shape; "),
        (3, "foo", r"^dtype: .*foo.*choose one of int8, "),
        (3, "int16", r"^dtype: .*int32"),
    ],
)
def test_what_is_no_array_is_refused(shape: int | tuple[int, ...], dtype: str, sentence: str) -> None:
    with pytest.raises(EngineError, match=sentence):
        array_size(shape, dtype)
