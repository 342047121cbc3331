"""The placement chooses the best of several sets of nodes for a gang."""

from typing import Any

from hypothesis import given
from hypothesis.strategies import frozensets, integers
from tests.conftest import examples
from tests.server.clusters import CLUSTERS, holds, may_work_together, node, placements, suits

from ringscope.contracts.job import Placement
from ringscope_server.placement.cluster import Cluster
from ringscope_server.placement.placement import Demand, place
from ringscope_server.placement.slot_index import SlotIndex
from ringscope_server.placement.snapshot import NodeState


def placed(nodes: list[NodeState], /, near: str = "", **placement: Any) -> list[tuple[str, int]] | None:
    cluster, wanted = Cluster(nodes), Placement.model_validate(placement)
    numbers = frozenset(cluster.number_of_name[name] for name in near.split())
    demand = Demand(wanted, cluster.groups(wanted), numbers)
    counts = place(demand, SlotIndex(cluster.capacity, cluster.capacity))
    return None if counts is None else [(nodes[number].name, slots) for number, slots in counts]


def test_one_node_is_better_than_two_and_the_fullest_that_fits_is_best() -> None:
    assert placed([node(1, 4), node(2, 2), node(3, 3)], ranks=2) == [("n2", 2)]


def test_packing_takes_as_few_nodes_as_possible_largest_share_first() -> None:
    assert placed([node(1, 2), node(2, 4), node(3, 3)], ranks=6) == [("n2", 4), ("n3", 2)]


def test_packing_prefers_the_rack_that_needs_fewest_nodes() -> None:
    racks = [node(1, 2, labels={"rack": "a"}), node(2, 2, labels={"rack": "a"}), node(3, 2, labels={"rack": "a"})]
    racks += [node(4, 3, labels={"rack": "b"}), node(5, 3, labels={"rack": "b"})]
    assert placed(racks, ranks=5, same_rack=True) == [("n4", 3), ("n5", 2)]


def test_spreading_takes_as_many_nodes_as_possible_evenly() -> None:
    assert placed([node(1, 1), node(2, 8), node(3, 8)], ranks=9, arrangement="spread") == [
        ("n2", 4),
        ("n3", 4),
        ("n1", 1),
    ]
    assert placed([node(1, 4), node(2, 4), node(3, 4)], ranks=2, arrangement="spread") == [("n1", 1), ("n2", 1)]


def test_an_exact_shape_takes_the_fullest_nodes_that_fit() -> None:
    assert placed([node(1, 8), node(2, 2), node(3, 3)], ranks=4, nodes=2) == [("n2", 2), ("n3", 2)]
    assert placed([node(1, 8), node(2, 2), node(3, 3)], ranks=5, nodes=2) == [("n3", 3), ("n2", 2)]


def test_named_nodes_are_all_taken_and_no_others() -> None:
    nodes = [node(1, 8), node(2, 4), node(3, 4)]
    assert placed(nodes, ranks=2, node_names=["n3", "n2"]) == [("n2", 1), ("n3", 1)]
    assert placed(nodes, ranks=4, node_names=["n3"]) == [("n3", 4)]
    assert placed(nodes, ranks=5, node_names=["n3"]) is None


def test_nodes_that_are_near_come_first_but_never_make_a_gang_larger() -> None:
    nodes = [node(1, 4), node(2, 2), node(3, 4), node(4, 4)]
    assert placed(nodes, near="n3", ranks=2) == [("n3", 2)]
    assert placed(nodes, near="n3", ranks=2, nodes=1) == [("n3", 2)]
    assert placed(nodes, near="n4", ranks=8) == [("n1", 4), ("n4", 4)]
    assert placed(nodes, near="n2", ranks=8) == [("n1", 4), ("n3", 4)]
    assert placed(nodes, near="n2 n4", ranks=2, nodes=2) == [("n2", 1), ("n4", 1)]
    assert placed(nodes, near="n4", ranks=2, arrangement="spread") == [("n1", 1), ("n4", 1)]


def test_nodes_without_gpus_work_with_gpu_nodes_of_one_kind() -> None:
    nodes = [
        node(1, 2),
        node(2, 2, gpu_models=("H200",), versions={"nccl": "2.29"}),
        node(3, 3, gpu_models=("H200",), versions={"nccl": "2.30"}),
    ]
    assert placed(nodes, ranks=5) == [("n3", 3), ("n1", 2)]
    assert placed(nodes, ranks=6) is None


@examples(300)
@given(CLUSTERS, placements(), frozensets(integers(0, 4)))
def test_a_gang_is_placed_exactly_when_some_set_of_nodes_holds_it(
    nodes: tuple[NodeState, ...], placement: Placement, near: frozenset[int]
) -> None:
    cluster = Cluster(nodes)
    counts = place(Demand(placement, cluster.groups(placement), near), SlotIndex(cluster.capacity, cluster.capacity))
    assert (counts is not None) == holds(placement, nodes, {one.id: len(one.slots) for one in nodes})
    if counts is not None:
        chosen = [nodes[number] for number, _ in counts]
        assert sum(slots for _, slots in counts) == placement.ranks
        assert all(0 < slots <= len(nodes[number].slots) for number, slots in counts)
        assert all(suits(one, placement) for one in chosen)
        assert may_work_together(chosen, placement)
