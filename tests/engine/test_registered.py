"""Memory of one communicator: which array is which piece."""

from typing import Any

import numpy as np
import pytest

from ringscope.engine.base import Array, Buffer
from ringscope.engine.errors import EngineError, OutOfMemoryError
from ringscope.engine.memory.arrays import address
from ringscope.engine.registered import Registered


class OneByOne(dict[int, Any]):
    """Pieces that may be asked for by their number alone."""

    def items(self) -> Any:
        raise AssertionError("all pieces were looked at to find one")


class Arrays:
    """Arrays of registered memory that never runs out."""

    def __init__(self) -> None:
        self.registered = Registered()

    def empty(self, size_bytes: int = 100) -> Array:
        return self.registered.array(size_bytes, self._allocate, lambda flags: flags)

    def _allocate(self, size_bytes: int) -> Buffer:
        buffer = Buffer(np.empty(size_bytes, np.uint8), ())
        self.registered.add(buffer)
        return buffer


def refuses(registered: Registered, x: Array) -> bool:
    with pytest.raises(EngineError, match="was already freed"):
        registered.number(x)
    return True


def test_a_piece_is_found_however_many_there_are() -> None:
    made = Arrays()
    registered, arrays = made.registered, [made.empty() for _ in range(50)]
    registered._pieces = OneByOne(registered._pieces)
    assert [registered.number(x) for x in arrays] == list(range(50))
    assert registered.number(arrays[3].view("float32").reshape(5, 5)) == 3, "all of it"
    registered.give_back(7)
    assert all(refuses(registered, x) for x in (arrays[7], np.zeros(100, np.uint8)))


def test_an_array_that_was_given_back_is_not_the_one_that_has_its_memory_now() -> None:
    made = Arrays()
    x = made.empty()
    made.registered.give_back(made.registered.number(x))
    y = made.empty()
    assert address(y) == address(x)
    assert refuses(made.registered, x)
    assert made.registered.number(y) == 1


def test_a_part_of_an_array_is_not_the_array() -> None:
    made = Arrays()
    x = made.empty()
    assert all(refuses(made.registered, part) for part in (x[:1], x[8:], x[::2], x[:0]))
    assert made.registered.number(x) == 0


def test_who_drops_an_array_leaves_nothing_that_another_one_is_taken_for() -> None:
    made = Arrays()
    for _ in range(20_000):
        made.empty(1 << 10)
    assert len(made.registered._numbers) <= len(made.registered._pieces)
    x = made.empty()
    made.registered.give_back(made.registered.number(x))
    assert refuses(made.registered, x)


def test_where_no_slab_has_room_a_piece_gets_what_it_needs() -> None:
    registered, asked = Registered(), []

    def allocate(size_bytes: int) -> Buffer:
        asked.append(size_bytes)
        if size_bytes > 4096:
            raise OutOfMemoryError("memory has 4 KiB free.")
        buffer = Buffer(np.empty(size_bytes, np.uint8), ())
        registered.add(buffer)
        return buffer

    x = registered.array(1000, allocate, lambda flags: flags)
    assert (x.nbytes, registered.place(x), asked) == (1000, (0, 0), [1 << 20, 1024])
    with pytest.raises(OutOfMemoryError):
        registered.array(5000, allocate, lambda flags: flags)
    assert asked[2:] == [2 << 20, 5120]
    y = registered.array(4096, allocate, lambda flags: flags)
    assert registered.place(y) == (1, 0)
