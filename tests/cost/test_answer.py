"""The sentence above the prices: the fastest algorithm, a slower one, and what the busiest link carries."""

from ringscope.contracts.words.topology import Link, Topology, flat
from ringscope.cost.answer import answer
from ringscope.cost.prices import prices

LECTURE = flat(10, Link(0.0, 1e9))
BYTES = 1_200_000_000


def said(*algorithms: str, topology: Topology = LECTURE, size_bytes: int = BYTES, typed: str = "1.2GB") -> str:
    found = list(prices(algorithms, size_bytes, topology))
    return answer(found, "all_reduce", size_bytes, topology, typed)


def test_the_lectures_pair_is_the_ring_and_one_server_that_collects():
    assert said("gather", "naive", "ring") == (
        "ring takes 2.16 s, one server 10.8 s only to collect (gather), 5 times as long, and 21.6 s with the way back "
        "(naive), 10 times as long: the server's link carries (N-1)·K = 10.8 GB, each link of the ring 1.8·K = 2.16 GB."
    )
    assert "(gather), 5 times as long: the server's" in said("gather", "ring"), "the way back was not asked for"


def test_the_units_are_those_that_were_typed():
    sentence = said("parameter_server", "ring", size_bytes=64 << 20, typed="64MiB")
    assert "(N-1)·K = 576 MiB in and as much out, each link of the ring 1.8·K = 115 MiB." in sentence
    assert "10 times as long" in sentence
    assert ", parameter_server and naive 21.6 s, 10 times as long: the server's link" in said(
        "naive", "parameter_server", "ring"
    ), "equal times are given by all their names"


def test_short_messages_are_explained_by_their_number():
    ib = flat(8, Link(1.3e-6, 25e9))
    sentence = said("ring", "tree", topology=ib, size_bytes=8, typed="8")
    assert sentence.endswith("ring sends 14 messages one after another, tree 6.")
    assert sentence.startswith("tree takes 7.8 µs, ring 18.2 µs, 2.33 times as long:")


def test_what_cannot_be_compared_is_said():
    assert said("ring") == "ring takes 2.16 s: each link of the ring carries 1.8·K = 2.16 GB."
    assert said("gather") == "gather only collects: one rank has the sum and the others do not."
    assert said("ring", topology=flat(1, Link(0.0, 1e9))) == "A single rank has nothing to exchange."
    nodes = Topology(8, Link(1e-6, 25e9), Link(1e-6, 450e9), 4)
    assert ":" not in said("ring", "naive", topology=nodes), "ranks of a node share links"


def test_an_upper_bound_gives_the_least_ratio():
    crowd = Topology(1024, Link(1.3e-6, 50e9), Link(3.4e-6, 450e9), 8, nodes_per_rack=32, oversubscription=4)
    sentence = said("ring", "direct", topology=crowd, size_bytes=4 << 20, typed="4MiB")
    assert sentence.startswith("direct takes at most ") and "at least 2.0" in sentence
