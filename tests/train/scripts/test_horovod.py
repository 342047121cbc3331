"""The names of Horovod."""

from typing import Any

import pytest

import ringscope.horovod as hvd
from ringscope.engine.errors import EngineError


@pytest.mark.parametrize("name", ["elastic", "Compression", "Adasum", "join", "ProcessSet", "allreduce_async_"])
def test_what_is_left_out_says_so(name: str) -> None:
    with pytest.raises(AttributeError, match=f"ringscope.horovod has no {name}: "):
        getattr(hvd, name)


def test_options_that_are_left_out_are_refused_before_the_ranks_connect() -> None:
    no_optimizer: Any = None
    cases: list[tuple[dict[str, Any], str]] = [
        ({"op": hvd.Sum}, "op: gradients are averaged"),
        ({"backward_passes_per_step": 2}, "backward_passes_per_step: put `with optimizer.accumulate"),
        ({"compression": object()}, "compression: it is not part of"),
    ]
    for options, sentence in cases:
        with pytest.raises(EngineError, match=sentence):
            hvd.DistributedOptimizer(no_optimizer, **options)
    assert not hvd.is_initialized()
