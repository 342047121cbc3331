"""Memory is leased as long as an array of it, or any view of one, is left."""

import gc

import numpy as np

from ringscope.engine.memory.lease import Lease


def test_the_end_is_told_when_the_last_view_has_gone() -> None:
    memory, ends = np.zeros(64, np.uint8), list[str]()
    x = Lease(memory, lambda: ends.append("ended")).array()
    x[3] = 7
    assert memory[3] == 7
    part = x.view("float32").reshape(4, 4)[1:].T
    del x
    gc.collect()
    assert ends == []
    del part
    assert ends == ["ended"]
