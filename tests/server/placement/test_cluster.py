"""The cluster that passes share for as long as the nodes stay the same."""

from dataclasses import replace

from ringscope.contracts.job import Placement
from ringscope_server.placement import cluster
from ringscope_server.placement.cluster import Cluster
from ringscope_server.placement.snapshot import NodeState

NODES = tuple(NodeState(number, f"n{number}", (0, 1), labels={"pool": "a"}) for number in range(3))


def usable(nodes: tuple[NodeState, ...], selector: dict[str, str]) -> list[int]:
    groups = Cluster.of(nodes).groups(Placement.model_validate({"ranks": 1, "selector": selector}))
    return [int(number) for number in groups.node]


def test_it_is_made_anew_only_for_other_nodes() -> None:
    first = Cluster.of(NODES)
    assert Cluster.of(tuple(replace(node) for node in NODES)) is first
    relabelled = (*NODES[:2], replace(NODES[2], labels={"pool": "b"}))
    assert Cluster.of(relabelled) is not first
    assert Cluster.of(NODES) is first, "predictions take the nodes otherwise, in turns with the passes"
    assert [usable(nodes, {"pool": "a"}) for nodes in (NODES, relabelled)] == [[0, 1, 2], [0, 1]]


def test_however_many_selectors_come_it_remembers_few_of_them() -> None:
    for number in range(cluster._MOST_GROUPS + 10):
        assert usable(NODES, {"pool": str(number)}) == []
    assert usable(NODES, {"pool": "a"}) == [0, 1, 2]
    assert len(Cluster.of(NODES)._groups) <= cluster._MOST_GROUPS
