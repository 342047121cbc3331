"""Pairs that did not reach each other before the start: a link or a node is blamed, and one node is left out."""

from ringscope.diagnosis.reach import blamed, left_out, sentence

NODES = ["h1", "h2", "h3", "h4", "h5"]


def cut(*pairs: tuple[str, str]) -> set[frozenset[str]]:
    return set(map(frozenset, pairs))


def test_a_link_between_two_nodes_that_reach_others_is_blamed() -> None:
    found = cut(("h4", "h2"))
    (part,) = blamed(NODES, found)
    assert (part.kind, part.names, part.manner) == ("link", ["h2", "h4"], "hung")
    assert part.sentence == sentence(NODES, found) and part.confidence > 0.99
    assert left_out(NODES, found) == "h4"


def test_a_node_that_most_do_not_reach_is_blamed_and_not_its_links() -> None:
    found = cut(("h3", "h1"), ("h3", "h2"), ("h3", "h5"), ("h1", "h5"))
    node, link = blamed(NODES, found)
    assert (node.kind, node.names, len(node.evidence)) == ("node", ["h3"], 3)
    assert (link.kind, link.names) == ("link", ["h1", "h5"])
    assert left_out(NODES, found) == "h3"


def test_of_two_nodes_nothing_shows_which_one_is_bad() -> None:
    assert blamed(NODES[:2], cut(("h1", "h2"))) == []
    assert sentence(NODES[:2], cut(("h1", "h2"))) == "h1 and h2 do not reach each other."


def test_of_three_nodes_the_link_is_blamed_because_both_reach_the_third() -> None:
    (part,) = blamed(NODES[:3], cut(("h1", "h2")))
    assert (part.kind, part.names) == ("link", ["h1", "h2"])
