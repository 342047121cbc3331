"""A sweep refuses too many channels before it measures anything, and traces large operations without being asked."""

from types import SimpleNamespace
from typing import Any

import pytest

from ringscope.bench.sweep import Sweep, shows_links
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.engine.errors import EngineError


def test_more_channels_than_the_smallest_node_has_ranks_are_refused() -> None:
    comm: Any = SimpleNamespace(rank=0, channels=1)  # the engine takes no more than the nodes allow
    sentence = r"benchmark\.channels: 2 cannot each leave a node of 1 through a different rank; give 1 to 1\."
    with pytest.raises(EngineError, match=sentence):
        Sweep(comm, BenchmarkSpec(channels=2), lambda record: None)


@pytest.mark.parametrize(
    ("options", "ranks_on_nodes", "size_bytes", "is_followed"),
    [
        ({}, [1, 1], 64 << 10, True),
        ({}, [16, 16], 1 << 30, True),
        ({"trace": True}, [1, 1], 64 << 10, False),  # every size is followed by itself
        ({}, [8], 64 << 10, False),
        ({}, [16, 17], 64 << 10, False),
        ({}, [1, 1], 32 << 10, False),
    ],
)
def test_large_operations_between_a_few_nodes_are_followed_without_being_asked_for(
    options: dict[str, Any], ranks_on_nodes: list[int], size_bytes: int, is_followed: bool
) -> None:
    nodes = [range(ranks) for ranks in ranks_on_nodes]
    assert shows_links(BenchmarkSpec(algorithms=("ring",), **options), nodes, size_bytes) is is_followed
