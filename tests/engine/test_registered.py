"""Memory of one communicator: which array is which piece."""

from typing import Any

import numpy as np
import pytest

from ringscope.engine.base import Buffer
from ringscope.engine.errors import EngineError, OutOfMemoryError
from ringscope.engine.registered import Registered


class OneByOne(dict[int, Any]):
    """Pieces that may be asked for by their number alone."""

    def items(self) -> Any:
        raise AssertionError("all pieces were looked at to find one")


def test_a_piece_is_found_by_where_it_begins_however_many_there_are() -> None:
    registered = Registered()

    def allocate(size_bytes: int) -> Buffer:
        buffer = Buffer(np.empty(size_bytes, np.uint8), ())
        registered.add(buffer)
        return buffer

    arrays = [registered.array(100, allocate, lambda flags: flags) for _ in range(50)]
    registered._pieces = OneByOne(registered._pieces)
    assert [registered.number(x) for x in arrays] == list(range(50))
    registered.give_back(7)
    for not_one in (arrays[7], arrays[8][8:]):
        with pytest.raises(EngineError, match="was given back before"):
            registered.number(not_one)


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
