"""ringscope.cost.effort."""

import pytest

from ringscope.cost.effort import message_count
from ringscope.schedules.algorithms import SCHEDULES, build
from ringscope.schedules.algorithms.parameter_server import parameter_server, separate_servers
from ringscope.schedules.messages import messages


@pytest.mark.parametrize("algorithm", [*SCHEDULES, "separate_servers"])
@pytest.mark.parametrize("ranks", [2, 5, 8, 16])
@pytest.mark.parametrize("elements", [3, 1000, 1 << 22, 1 << 26])
def test_no_schedule_has_many_more_messages(algorithm: str, ranks: int, elements: int) -> None:
    if algorithm == "separate_servers":
        schedule = separate_servers(ranks, elements, 3)
    elif algorithm == "parameter_server":
        schedule = parameter_server(ranks, elements, 3)
    else:
        schedule = build(algorithm, ranks, elements)
    moving = sum(len(step) for step in messages(schedule, in_place=False))
    assert moving <= 1.1 * message_count(algorithm, ranks, elements, 3)


@pytest.mark.parametrize("collective", ["broadcast", "reduce"])
def test_chains_are_counted_with_their_segments(collective: str) -> None:
    schedule = build("ring", 8, 1 << 24, collective=collective)
    moving = sum(len(step) for step in messages(schedule, in_place=False))
    assert moving <= message_count("ring", 8, 1 << 24, collective=collective)
