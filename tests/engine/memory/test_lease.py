"""Memory is leased as long as an array of it, or any view of one, is left."""

import gc
from typing import Any

import numpy as np

from ringscope.engine.memory.lease import Lease, holder


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


def test_all_views_of_a_lease_have_the_same_holder(cupy: Any) -> None:
    for memory, other in ((np.zeros(64, np.uint8), np.zeros(3)), (cupy.zeros(64, "uint8"), cupy.zeros(3, "uint8"))):
        x = Lease(memory, lambda: None).array()
        assert all(holder(view) is holder(x) for view in (x[:8], x.view("float32")[2:], x[:64].reshape(8, 8)))
        assert holder(x) is not holder(Lease(memory, lambda: None).array())
        assert holder(x) is not holder(other)
