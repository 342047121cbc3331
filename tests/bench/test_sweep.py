"""A sweep refuses too many channels before it measures anything, leaves out sizes that do not fit into memory, and
traces large operations without being asked.
"""

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ringscope.bench import largest_size
from ringscope.bench.largest_size import FittingSizes
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


KIB = 1 << 10


@pytest.mark.parametrize(
    ("free", "elsewhere", "sizes", "where"),
    [
        ({"memory": 1 << 40}, 1 << 40, [KIB, 2 * KIB, 4 * KIB], None),
        ({"memory": 24 * KIB}, 1 << 40, [KIB, 2 * KIB, 4 * KIB], None),  # two ranks with two buffers and as much aside
        ({"memory": 24 * KIB - 1}, 1 << 40, [KIB, 2 * KIB], "memory on "),
        ({"memory": 1 << 40, "/dev/shm": 24 * KIB - 1}, 1 << 40, [KIB, 2 * KIB], "/dev/shm on "),
        ({"memory": 1 << 40}, 2 * KIB, [KIB, 2 * KIB], "the memory of another node"),
        ({"memory": 0}, 1 << 40, [KIB], "memory on "),  # the allocation then says what is missing
    ],
)
def test_sizes_whose_buffers_do_not_fit_into_memory_are_left_out(
    free: dict[str, int], elsewhere: int, sizes: list[int], where: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(largest_size, "free_places", lambda mount: free)
    comm: Any = SimpleNamespace(gpu=None, transport=None, local_size=2, maximum=lambda own: np.maximum(own, -elsewhere))
    found = FittingSizes.of(comm, BenchmarkSpec(min_bytes=KIB, max_bytes=4 * KIB), lambda size: size)
    assert found.sizes_bytes == sizes
    assert found.lowered_max_bytes == (None if where is None else sizes[-1])
    if where is not None:
        lowered = f"lowered from 4 KiB to {len(sizes)} KiB: the buffers of larger"
        assert found.because.startswith(f"benchmark.max_bytes was {lowered} sizes do not fit")
        assert f" do not fit into {where}" in found.because
        remedy = "; enlarge /dev/shm (of a container with --shm-size)."
        assert found.because.endswith(remedy) == where.startswith("/dev/shm")


def test_on_a_gpu_its_ranks_share_what_is_free_but_for_a_gibibyte(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = SimpleNamespace(ranks=(0, 1))
    monkeypatch.setattr(largest_size.cuda, "free_bytes", lambda: (1 << 30) + 24 * KIB - 1)
    monkeypatch.setattr(largest_size.cuda, "telling", lambda who: nullcontext())
    comm: Any = SimpleNamespace(gpu=gpu, maximum=lambda own: own)
    assert FittingSizes.of(comm, BenchmarkSpec(min_bytes=KIB, max_bytes=4 * KIB), lambda size: size)[:2] == (
        [KIB, 2 * KIB],
        2 * KIB,
    )
