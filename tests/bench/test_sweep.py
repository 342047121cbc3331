"""What a sweep refuses before anything is measured."""

from types import SimpleNamespace
from typing import Any

import pytest

from ringscope.bench.sweep import Sweep
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.engine.errors import EngineError


def test_more_channels_than_the_smallest_node_has_ranks_are_refused() -> None:
    comm: Any = SimpleNamespace(rank=0, channels=1)  # the engine takes no more than the nodes allow
    sentence = r"benchmark\.channels: 2 cannot each leave a node of 1 by another rank; give 1 to 1\."
    with pytest.raises(EngineError, match=sentence):
        Sweep(comm, BenchmarkSpec(channels=2), lambda record: None)
