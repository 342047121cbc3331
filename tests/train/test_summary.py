"""The log describes how a step's gradients are summed."""

from types import SimpleNamespace
from typing import Any

from ringscope.choice.situation import Choice
from ringscope.train.program import summary


def test_every_transport_is_named_and_reasons_are_sentences() -> None:
    choices = [
        Choice("ring", "model: ring 5 us, mpi 6 us."),
        Choice("mpi", "trial: mpi 2 us, ring 3 us."),
        Choice("mpi", "trial: mpi 2 us, ring 3 us."),
    ]
    reducer: Any = SimpleNamespace(choices=choices, size_bytes=1 << 20, transport="shared_memory")
    assert summary(reducer, 4) == (
        "batch_all_reduce: 1 all-reduce with algorithm = ring and 2 all-reduces with algorithm = mpi, 1 MiB a step, "
        "num_replicas = 4, transport = shared_memory and mpi. Model: ring 5 us, mpi 6 us. Trial: mpi 2 us, ring 3 us."
    )


def test_without_reasons_nothing_dangles() -> None:
    reducer: Any = SimpleNamespace(choices=[Choice("ring", "")], size_bytes=8, transport="mpi")
    assert summary(reducer, 2).endswith("num_replicas = 2, transport = mpi.")
