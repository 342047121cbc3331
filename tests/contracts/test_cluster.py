"""Described clusters: words into a topology, and the sentences about words that make none."""

import pytest
from pydantic import ValidationError

from ringscope.contracts.cluster import MAX_RANKS, ClusterSpec
from ringscope.contracts.findings import field_errors
from ringscope.contracts.words.topology import PRESETS, Link, Topology


def test_a_number_of_ranks_is_a_flat_cluster():
    found = ClusterSpec(shape="6", link="ib200")
    assert found.topology.is_flat
    assert (found.ranks, found.topology.ranks, found.topology.inter) == (6, 6, PRESETS["ib200"].link)


def test_nodes_and_racks_have_links_of_their_own():
    described = {"shape": "2x4x8", "link": "1GB/s", "latency_us": 5, "intra": "nvlink4", "nics_per_node": 2}
    assert ClusterSpec.model_validate(described | {"oversubscription": 4, "reduce_gb_per_s": 20}).topology == Topology(
        64,
        Link(5e-6, 1e9),
        PRESETS["nvlink4"].link,
        8,
        nics_per_node=2,
        nodes_per_rack=4,
        oversubscription=4,
        reduce_bytes_per_s=20e9,
    )


@pytest.mark.parametrize("shape", ["1", "1x1", "1x8", "8x1", "1x2x3", "3x1x1"])
def test_every_shape_has_as_many_ranks_as_its_product_says(shape):
    ranks = 1
    for number in shape.split("x"):
        ranks *= int(number)
    assert ClusterSpec(shape=shape).topology.ranks == ClusterSpec(shape=shape).ranks == ranks


def test_in_words():
    assert str(ClusterSpec(shape="16", link="ib200")) == "16 ranks, ib200 between nodes"
    words = "2x4x8 ranks, 1GB/s between nodes, latency 5 us, nvlink4 inside, 2 network cards a node, oversubscription 4"
    described = {"shape": "2x4x8", "link": "1GB/s", "latency_us": 5, "nics_per_node": 2, "oversubscription": 4}
    assert str(ClusterSpec.model_validate(described)) == words


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"shape": "4y8"}, "shape: '4y8' is not a shape; write RANKS, NODESxRANKS such as 4x8, or RACKSxNODESxRANKS"),
        ({"shape": "0x8"}, "shape: '0x8' is not a shape"),
        ({"shape": "1x2x3x4"}, "shape: '1x2x3x4' is not a shape"),
        ({"shape": "²"}, "shape: '²' is not a shape"),
        ({"shape": "8192x16"}, f"shape: 131072 ranks are too many to plan with; give {MAX_RANKS} or fewer."),
        ({"link": "string"}, "link: 'string' is neither a known link nor a rate; choose one of 10gbe"),
        ({"intra": "0GB/s"}, "intra: '0GB/s' is neither a known link nor a rate"),
        (
            {"shape": "2x4", "nics_per_node": 5},
            "nics_per_node: 5 cards are more than a node has ranks; give 1 to 4, or leave it out.",
        ),
        (
            {"shape": "2x4", "channels": 5},
            "channels: 5 cannot each leave a node of 4 through a different rank; give 1 to 4, or leave it out.",
        ),
        (
            {"shape": "2x4", "oversubscription": 2},
            "oversubscription: only racks have uplinks to share; write the shape",
        ),
        ({"latency_us": -1}, "latency_us: -1 is too small; give 0.0 or more."),
        ({"reduce_gb_per_s": 5e-324}, "reduce_gb_per_s: 5e-324 is too small; give 1e-06 or more."),
    ],
)
def test_what_makes_no_cluster_is_refused(fields, sentence):
    with pytest.raises(ValidationError) as caught:
        ClusterSpec.model_validate(fields)
    (found,) = field_errors(caught.value)
    assert found.detail.startswith(sentence)
    assert found.pointer == "/" + next(name for name in reversed(fields) if name in sentence)


def test_nvlink_without_a_generation_is_the_usual_one() -> None:
    named = ClusterSpec(shape="2x8", link="ib400", intra="nvlink")
    assert (named.intra, named.topology.intra) == ("nvlink4", PRESETS["nvlink4"].link)
