"""Prices side by side: which model each comes from, and what is refused."""

import os
import subprocess
import sys
from dataclasses import replace
from typing import get_args

import pytest

from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.words.topology import PRESETS, Link, Topology, flat
from ringscope.cost.fitting.regimes import Regime
from ringscope.cost.nccl_model import H100_NODE, Architecture, machine_of
from ringscope.cost.prices import PRICED, prices
from ringscope.schedules.algorithms import SCHEDULES

LECTURE = flat(10, Link(0.0, 1e9))
BYTES = 1_200_000_000
NODE = Topology(8, PRESETS["ib200"].link, PRESETS["nvlink4"].link, 8)


def times(*algorithms: str, servers: int = 1, topology: Topology = LECTURE, size_bytes: int = BYTES) -> list[float]:
    return [price.time_s for price in prices(algorithms, size_bytes, topology, servers)]


def test_the_lecture_side_by_side():
    assert times("gather", "naive", "ring") == pytest.approx([10.8, 21.6, 2.16])
    assert times("separate_servers", "separate_servers_duplex", servers=10) == pytest.approx([2.4, 1.2])
    assert times("separate_servers", servers=2) == pytest.approx([12.0])
    assert times("assisted_servers", servers=5) == pytest.approx([1.543], abs=5e-4)


def test_servers_among_the_ranks_share_the_load():
    one, two, ten = (times("parameter_server", servers=servers)[0] for servers in (1, 2, 10))
    assert (one, ten) == (pytest.approx(21.6), pytest.approx(2.16)), (
        "one is naive, as many as ranks are the ring's volume"
    )
    assert ten < two < one


def test_one_rank_pays_nothing():
    every = [algorithm for algorithm in PRICED if algorithm != "nccl"]
    assert times(*every, topology=flat(1, Link(1e-6, 1e9))) == [0.0] * len(every)


def test_a_price_says_what_it_is_made_of():
    (price,) = prices(["ring"], BYTES, flat(10, Link(1e-3, 1e9), 1e10))
    assert price.time_s == price.formula_s == pytest.approx(2.16 + 0.108 + 0.018)
    assert (price.messages, price.bytes_on_critical_path, price.source) == (18, 2_160_000_000, "schedule")
    assert price.algbw_gb_per_s == pytest.approx(1.2 / price.time_s)
    assert price.busbw_gb_per_s == pytest.approx(1.2 / price.time_s * 1.8)
    assert list(price.phase_ends_s or {}) == ["reduce_scatter", "all_gather"]


def test_a_formula_is_only_set_beside_a_flat_network():
    assert [price.formula_s for price in prices(["ring"], BYTES, NODE)] == [None]


def test_hierarchical_knows_the_nodes():
    cluster = Topology(16, PRESETS["10gbe"].link, PRESETS["nvlink4"].link, 8, channels=1)
    ring, hierarchical = times("ring", "hierarchical", topology=cluster, size_bytes=1 << 28)
    assert hierarchical < ring / 3


def test_nccls_model_is_a_predictor_beside_ours():
    found = [next(prices(["nccl"], size, NODE, architecture="hopper")) for size in (1 << 15, 1 << 30)]
    assert [price.source for price in found] == ["nccl Ring/LL", "nccl NVLS/Simple"]
    assert found[1].busbw_gb_per_s == pytest.approx(464.0, rel=0.05), "measured on 8 x H200"
    machine = machine_of(NODE, "hopper")
    assert (machine.intra_gb_per_s, machine.nvls_gb_per_s) == (
        pytest.approx(H100_NODE.intra_gb_per_s),
        pytest.approx(H100_NODE.nvls_gb_per_s),
    )


@pytest.mark.parametrize("architecture", get_args(Architecture))
def test_between_nodes_nccl_is_bound_by_the_network_cards(architecture):
    cluster = Topology(32, PRESETS["ib200"].link, PRESETS["nvlink4"].link, 8)
    (price,) = prices(["nccl"], 16 << 30, cluster, architecture=architecture)
    assert 0.7 * 8 * 25 < price.busbw_gb_per_s <= 8 * 25


@pytest.mark.parametrize(
    ("algorithm", "topology", "sentence"),
    [
        ("rong", LECTURE, "algorithm: unknown algorithm 'rong'; choose one of ring"),
        ("nccl", LECTURE, "algorithm: nccl's model covers GPUs with nvlink3, nvlink4 or nvlink5"),
        ("gather", NODE, "algorithm: gather has a formula for flat networks only; leave out the topology"),
        (
            "parameter_server",
            flat(16_384, Link(0, 1e9)),
            "algorithm: parameter_server sends about .* too many to price",
        ),
    ],
)
def test_what_cannot_be_priced_is_refused(algorithm, topology, sentence):
    with pytest.raises(ValueError, match=sentence):
        times(algorithm, topology=topology, servers=2)


@pytest.mark.parametrize("shape", ["513", "100x8", pytest.param("4x32x8", marks=pytest.mark.long)])
def test_more_ranks_than_a_simulation_takes_are_priced_with_every_algorithm(shape: str) -> None:
    oversubscription = 4 if shape.count("x") == 2 else 1
    topology = ClusterSpec(shape=shape, link="ib400", oversubscription=oversubscription).topology
    found = list(prices(SCHEDULES, 1 << 22, topology))
    assert all(price.time_s > 0 and price.messages is None for price in found)
    assert [price.algorithm for price in found if price.is_bound] == (["direct"] if oversubscription > 1 else [])


@pytest.mark.long
def test_16_384_ranks_take_little_memory_and_time() -> None:
    """All algorithms together, in a process of their own that may have no more; time is thrice the usual or more."""
    program = """
import resource
from ringscope.contracts.cluster import ClusterSpec
from ringscope.cost.prices import SCHEDULES, prices
resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (15, 15))
topology = ClusterSpec(shape="64x32x8", oversubscription=4).topology
print(*(price.algorithm for price in prices(SCHEDULES, 1 << 30, topology)))
"""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [*SCHEDULES], done.stderr


def test_a_ring_goes_through_every_card() -> None:
    """8 nodes of 8 x H100 with 400 Gbit/s each: one ring through one card reaches 50 GB/s."""
    by_card, by_one, half = (
        next(prices(["ring"], 10**9, ClusterSpec.model_validate({"shape": "8x8", "link": "ib400"} | more).topology))
        for more in ({}, {"channels": 1}, {"nics_per_node": 4})
    )
    assert (by_card.channels, by_one.channels, half.channels) == (8, 1, 4)
    assert by_one.time_s == pytest.approx(39.5e-3, rel=1e-2)
    assert 350 < by_card.busbw_gb_per_s < 400, "what NCCL's rings reach"
    assert half.time_s == pytest.approx(2 * by_card.time_s, rel=0.05)


@pytest.mark.parametrize("collective", ["broadcast", "reduce"])
def test_a_chain_goes_through_every_card_too(collective: str) -> None:
    """Its 64 segments pass 63 hops, each as fast as a card, or as NVLink with all parts but one."""
    by_card, by_one = (
        next(
            prices(["ring"], 10**9, ClusterSpec(shape="8x8", link="ib400", channels=n).topology, collective=collective)
        )
        for n in (None, 1)
    )
    assert (by_card.channels, by_one.channels) == (8, 1)
    assert by_card.time_s == pytest.approx(126 * (10**9 / 8 / 64 / 50e9 + 1.3e-6), rel=0.05)
    assert by_card.time_s < by_one.time_s / 4


@pytest.mark.parametrize("algorithm", ["tree", "double_tree"])
def test_trees_through_every_card_are_faster(algorithm: str) -> None:
    cluster = Topology(16, PRESETS["ib400"].link, PRESETS["nvlink4"].link, 4)
    times_s = [
        times(algorithm, topology=replace(cluster, channels=channels), size_bytes=1 << 24)[0] for channels in (4, 2, 1)
    ]
    assert times_s == sorted(times_s)
    assert times_s[0] < times_s[-1] / 1.9


def test_what_has_no_channels_says_so() -> None:
    found = list(prices(["hierarchical", "naive", "nccl"], 1 << 20, NODE, architecture="hopper"))
    assert [price.channels for price in found] == [1, 1, None]


def test_a_fit_prices_many_ranks_in_the_regime_of_their_messages() -> None:
    slow, fast = Regime(1 << 20, 1e-6, 1e-9, None), Regime(float("inf"), 1e-6, 1e-10, None)
    many = flat(4096, Link(0.0, 1.0))
    (ring, tree) = prices(["ring", "tree"], 1 << 24, many, regimes=[slow, fast])
    assert ring.time_s == pytest.approx(2 * 4095 * (1e-6 + 4096e-9)), "short messages"
    assert tree.time_s == pytest.approx(2 * 12 * (1e-6 + (1 << 24) * 1e-10)), "long ones"


def test_prices_tell_steps_and_bytes() -> None:
    (ring, naive) = prices(["ring", "naive"], 4096, ClusterSpec(shape="4").topology)
    assert (ring.steps, ring.sent_bytes) == (6, 6 * 1024)
    assert (naive.steps, naive.sent_bytes) == (6, 3 * 4096)
