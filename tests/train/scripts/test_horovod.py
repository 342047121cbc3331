"""The names of Horovod."""

import pytest

import ringscope.horovod as hvd
from ringscope.engine.errors import EngineError


@pytest.mark.parametrize("name", ["elastic", "Compression", "Adasum", "join", "ProcessSet", "allreduce_async_"])
def test_what_is_left_out_says_so(name: str) -> None:
    with pytest.raises(AttributeError, match=f"ringscope.horovod has no {name}: "):
        getattr(hvd, name)


def test_options_that_are_left_out_are_refused_before_the_ranks_connect() -> None:
    for options, sentence in (
        ({"op": hvd.Sum}, "op: gradients are averaged"),
        ({"backward_passes_per_step": 2}, "backward_passes_per_step: put `with optimizer.accumulate"),
        ({"compression": object()}, "compression: it is not part of"),
    ):
        with pytest.raises(EngineError, match=sentence):
            hvd.DistributedOptimizer(None, **options)  # type: ignore[arg-type]
    assert not hvd.is_initialized()
