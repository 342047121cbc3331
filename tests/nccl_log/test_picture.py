"""A log as a page draws it."""

from pathlib import Path
from typing import Any

from ringscope.nccl_log.picture import picture
from ringscope.nccl_log.reading import read

HERE = Path(__file__).parent


def shapes(told: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {shape["kind"]: shape for shape in told["communicators"][0]["shapes"]}


def test_channels_with_the_same_ring_are_one_shape_that_closes() -> None:
    told = picture(read([(HERE / "foreign" / "nvls_8_gpus_one_node.txt").read_bytes()]))
    ring = shapes(told)["ring"]
    assert ring["channels"] == list(range(6, 16))
    assert [edge["source"] for edge in ring["edges"]] == [0, 3, 1, 2, 4, 7, 5, 6]
    assert ring["edges"][-1]["target"] == 0
    assert {edge["transport_class"] for edge in ring["edges"]} == {"P2P"}
    assert shapes(told)["nvls"]["heads"] == 8
    assert [place["host"] for place in told["communicators"][0]["places"]] == ["server1-1"] * 8


def test_a_tree_leads_from_children_to_parents() -> None:
    told = picture(read([(HERE / "foreign" / "nvls_8_gpus_one_node.txt").read_bytes()]))
    pairs = {(edge["source"], edge["target"]) for edge in shapes(told)["tree"]["edges"]}
    assert {(3, 0), (6, 5), (4, 2)} <= pairs


def test_an_edge_whose_transport_is_not_printed_has_no_class() -> None:
    log = b"n1:1:1 [0] NCCL INFO Channel 00/02 : 0 1\n"
    log += b"n1:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0\n"
    log += b"n1:1:1 [0] NCCL INFO Channel 01/02 : 1 0\n"
    told = picture(read([log]))["communicators"][0]["shapes"]
    by_channels = {tuple(shape["channels"]): shape for shape in told}
    assert by_channels[(0,)]["edges"][0] == {
        "source": 0,
        "target": 1,
        "transport_class": "the network without GPUDirect RDMA",
        "transports": ["NET/IB/0"],
    }
    assert {edge["transport_class"] for edge in by_channels[(1,)]["edges"]} == {None}


def test_edges_outside_of_rings_and_trees_are_a_shape_of_their_own() -> None:
    told = picture(read([(HERE / "foreign" / "sockets_ray_prefix_one_side.txt").read_bytes()]))
    assert told["communicators"][0]["shapes"], "the printed edges are drawn"
    assert "TCP sockets" in {
        edge["transport_class"] for shape in told["communicators"][0]["shapes"] for edge in shape["edges"]
    }


def test_a_communicator_of_too_many_ranks_is_not_drawn() -> None:
    order = b" ".join(b"%d" % rank for rank in range(600))
    told = picture(read([b"n1:1:1 [0] NCCL INFO Channel 00/01 : " + order + b"\n"]))["communicators"][0]
    assert (told["is_drawn"], told["places"], told["shapes"]) == (False, [], [])
