"""Turns: no port twice in one, each port's messages in their order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import examples

from ringscope.cost.turns import turns

PORTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30)


@examples(100)
@given(PORTS)
def test_each_port_has_its_messages_one_after_the_other(ports: list[tuple[int, int]]) -> None:
    out, into = (np.array([pair[end] for pair in ports], np.int64) for end in (0, 1))
    found = [turn.tolist() for turn in turns(out, into)]
    order = [message for turn in found for message in turn]
    assert sorted(order) == list(range(len(ports)))
    for port in (out, into):
        assert all(len({int(port[message]) for message in turn}) == len(turn) for turn in found)
        for number in set(port.tolist()):
            mine = [message for message in order if port[message] == number]
            assert mine == sorted(mine)


def test_what_need_not_wait_does_not() -> None:
    out, into = np.array([0, 0, 1, 2]), np.array([1, 2, 2, 0])
    assert [turn.tolist() for turn in turns(out, into)] == [[0, 3], [1], [2]]
