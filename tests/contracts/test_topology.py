"""Topologies: paths, shared links, and what is refused."""

import pytest

from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.words.topology import ALIASES, PRESETS, Link, Path, SharedLink, Topology, flat

INTRA, INTER = Link(1e-6, 100e9), Link(5e-6, 10e9)


def test_ranks_of_a_node_use_the_link_inside():
    topology = Topology(8, INTER, INTRA, 4, nics_per_node=2)
    assert topology.path(0, 3) == Path(*INTRA, (), is_intra=True)
    assert topology.path(3, 4) == Path(*INTER, (SharedLink("nic out", 1), SharedLink("nic in", 2)))
    assert topology.nodes == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_a_card_of_its_own_is_not_shared():
    assert Topology(8, INTER, INTRA, 4).path(3, 4) == Path(*INTER, ())
    assert flat(8, INTER).path(0, 7) == Path(*INTER, ())


def test_between_racks_messages_take_the_uplinks_and_wait_for_the_spine():
    topology = Topology(16, INTER, INTRA, 4, nodes_per_rack=2, oversubscription=4, spine_latency_s=2e-6)
    path = topology.path(0, 15)
    assert path.latency_s == pytest.approx(7e-6)
    assert path.shared == (SharedLink("rack up", 0), SharedLink("rack down", 1))
    assert topology.capacity(path.shared[0]) == 2 * 4 * 10e9 / 4
    assert topology.path(0, 4).shared == (), "the top-of-rack switch does not block"


@pytest.mark.parametrize(
    "topology",
    [
        flat(8, INTER),
        Topology(8, INTER, nodes_per_rack=8),
        Topology(8, INTER, nodes_per_rack=4, oversubscription=2, spine_latency_s=2e-6),
        Topology(8, INTER, INTRA, 4, nics_per_node=2),
        Topology(8, INTER, INTRA, 8),
    ],
)
def test_paths_are_those_of_the_pairs(topology):
    pairs = [(src, dst) for src in range(8) for dst in range(8) if src != dst]
    assert topology.paths(pairs) == [topology.path(*pair) for pair in pairs]
    assert topology.paths([]) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"ranks": 0, "inter": INTER}, "ranks: 0 ranks do not fill nodes of 1"),
        ({"ranks": 6, "inter": INTER, "intra": INTRA, "ranks_per_node": 4}, "ranks: 6 ranks do not fill nodes of 4"),
        ({"ranks": 4, "inter": INTER, "ranks_per_node": 4}, "intra: nodes with several ranks need a link"),
        (
            {"ranks": 4, "inter": INTER, "oversubscription": 0.5},
            "oversubscription: 0.5 is out of range; give 1 or more",
        ),
        ({"ranks": 4, "inter": INTER, "oversubscription": float("nan")}, "oversubscription: nan is out of range"),
        ({"ranks": 4, "inter": INTER, "nics_per_node": 2}, "nics_per_node: 2 cards are out of range; give 1 to 1"),
        ({"ranks": 4, "inter": INTER, "nodes_per_rack": 3}, "nodes_per_rack: 4 nodes do not fill racks of 3"),
    ],
)
def test_what_cannot_be_is_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        Topology(**arguments)


def test_presets_name_their_source_and_grow():
    assert all(preset.source for preset in PRESETS.values())
    rates = [PRESETS[f"nvlink{generation}"].link.bytes_per_s for generation in range(1, 6)]
    assert rates == sorted(rates)


@pytest.mark.parametrize("name", [name for name in PRESETS if not name.startswith("nvlink")])
def test_links_between_nodes_have_the_rate_in_their_name(name):
    gbit_per_s = 100 if name == "efa" else int("".join(filter(str.isdigit, name)))
    assert PRESETS[name].link.bytes_per_s == gbit_per_s * 1e9 / 8


@pytest.mark.parametrize(("link", "cards", "tbit_per_s"), [("efa", 4, 0.4), ("efa400", None, 3.2)], ids=["P4", "P5"])
def test_nodes_with_fewer_cards_than_gpus_and_with_more_are_described(link, cards, tbit_per_s):
    node = ClusterSpec(shape="2x8", link=link, nics_per_node=cards).topology
    assert node.cards * node.inter.bytes_per_s * 8 / 1e12 == pytest.approx(tbit_per_s)


def test_the_links_that_people_name_are_there():
    between = "10gbe 25gbe 50gbe 100gbe 200gbe 400gbe roce100 roce200 roce400 roce800 efa efa400"
    between += " ib100 ib200 ib400 ib800"
    assert set(ALIASES.values()) <= set(PRESETS)
    assert set(PRESETS) == {*between.split(), *(f"nvlink{generation}" for generation in range(1, 6))}
