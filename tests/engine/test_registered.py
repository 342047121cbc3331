"""Memory of one communicator: which array is which piece."""

from typing import Any

import numpy as np
import pytest

from ringscope.engine.base import Buffer
from ringscope.engine.errors import EngineError
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
