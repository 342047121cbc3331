"""The cost model: schedules priced step by step against the textbook's formulas, shared links against arithmetic."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import examples

from ringscope.contracts.words.collectives import SCHEDULED
from ringscope.contracts.words.topology import Link, SharedLink, Topology, flat
from ringscope.cost.closed_forms import (
    FORMULAS,
    assisted_servers,
    gather,
    hierarchical,
    naive,
    parameter_servers,
    pipelined_ring,
    ring,
    tree,
    whole_elements_ring,
)
from ringscope.cost.timeline import simulate
from ringscope.schedules.algorithms import SCHEDULES, build
from ringscope.schedules.algorithms.parameter_server import parameter_server, separate_servers
from ringscope.schedules.schedule import Chunk, Schedule, Transfer, partition

GB_PER_S = Link(0.0, 1e9)
PARAMETERS, BYTES = 300_000_000, 1_200_000_000  # the lecture's Deep Speech 2: 300 million float32 weights


def seconds(algorithm: str, ranks: int, count: int, link: Link, reduce_bytes_per_s: float | None = None) -> float:
    return simulate(SCHEDULES[algorithm](ranks, count), 4, flat(ranks, link, reduce_bytes_per_s)).seconds


@pytest.mark.parametrize(("algorithm", "expected"), [("naive", 21.6), ("ring", 2.16), ("direct", 2.16)])
def test_lecture_arithmetic_of_schedules(algorithm, expected):
    assert seconds(algorithm, 10, PARAMETERS, GB_PER_S) == pytest.approx(expected)


def test_lecture_arithmetic_of_gathering():
    timeline = simulate(SCHEDULES["naive"](10, PARAMETERS), 4, flat(10, GB_PER_S))
    assert timeline.phase_ends_s() == pytest.approx({"gather": 10.8, "broadcast": 21.6})
    assert gather(10, BYTES, GB_PER_S) == pytest.approx(10.8)


@pytest.mark.parametrize(
    ("servers", "duplex", "expected"), [(10, False, 2.4), (10, True, 1.2), (2, False, 12.0), (2, True, 6.0)]
)
def test_lecture_arithmetic_of_separate_servers(servers, duplex, expected):
    assert parameter_servers(10, servers, BYTES, GB_PER_S, duplex) == pytest.approx(expected)


@given(st.integers(2, 20), st.integers(1, 20), st.integers(1, 1000))
def test_separate_servers_cost_what_the_textbook_says(workers, servers, share):
    schedule = separate_servers(workers, servers * share, servers)
    seconds = simulate(schedule, 4, flat(workers + servers, GB_PER_S)).seconds
    formula = parameter_servers(workers, servers, 4 * servers * share, GB_PER_S)
    if servers <= workers:
        assert seconds == pytest.approx(formula)
    else:
        assert formula / 2 < seconds <= formula * (1 + 1e-9), (
            "a server that has everything is pulled from before others"
        )


def test_lecture_arithmetic_of_helpers():
    assert assisted_servers(10, 5, BYTES, GB_PER_S) == pytest.approx(1.543, abs=5e-4)
    assert assisted_servers(10, 0, BYTES, GB_PER_S) == pytest.approx(2.16)
    assert assisted_servers(10, 10, BYTES, GB_PER_S) == pytest.approx(1.2)


def test_one_rank_needs_no_time_and_two_make_the_ring_a_gather():
    for algorithm in SCHEDULES:
        assert seconds(algorithm, 1, PARAMETERS, GB_PER_S) == 0
    assert [f(1, BYTES, GB_PER_S) for f in (parameter_servers_of_ten, gather)] == [0, 0]
    assert assisted_servers(1, 5, BYTES, GB_PER_S) == 0
    assert seconds("ring", 2, PARAMETERS, GB_PER_S) == pytest.approx(gather(2, BYTES, GB_PER_S)) == pytest.approx(1.2)


def parameter_servers_of_ten(workers: int, size_bytes: int, link: Link) -> float:
    return parameter_servers(workers, 10, size_bytes, link)


@given(
    st.sampled_from([(collective, name) for collective, names in FORMULAS.items() for name in names]),
    st.integers(1, 17),
    st.integers(0, 40),
    st.floats(0, 1e-3),
    st.floats(1e6, 1e12),
    st.floats(1e6, 1e12),
)
def test_schedules_cost_what_the_textbook_says(named, ranks, per_chunk, latency_s, bytes_per_s, reduce_bytes_per_s):
    collective, algorithm = named
    count = per_chunk * ranks * 16  # divides into equal chunks for every algorithm
    link = Link(latency_s, bytes_per_s)
    expected = FORMULAS[collective][algorithm](ranks, count * 4, link, 1 / reduce_bytes_per_s) if count else 0.0
    schedule = build(algorithm, ranks, count, collective=collective)
    found = simulate(schedule, 4, flat(ranks, link, reduce_bytes_per_s)).seconds
    assert found == pytest.approx(expected, rel=1e-9)


def test_every_algorithm_has_a_cross_check():
    """Every algorithm has a formula in FORMULAS, or one of the tests that follow."""
    other = {"ring_pipelined", "double_tree", "hierarchical", "parameter_server"}
    for collective, names in SCHEDULED.items():
        without = set(names) - FORMULAS[collective].keys()
        expected = other if collective == "all_reduce" else set()
        assert without == expected, "give it a formula in FORMULAS of cost/closed_forms.py, or a test below"


@examples(30)
@given(
    st.sampled_from(["broadcast", "reduce"]),
    st.integers(2, 9),
    st.integers(1, 7),
    st.floats(0, 1e-3),
    st.floats(1e8, 1e10),
)
def test_chains_are_pipelined_as_the_textbook_says(collective, ranks, segments, latency_s, reduce_bytes_per_s):
    count, link = segments << 15, Link(latency_s, 1e9)
    found = simulate(build("ring", ranks, count, collective=collective), 4, flat(ranks, link, reduce_bytes_per_s))
    assert len(found.messages) == segments * (ranks - 1)
    expected = FORMULAS[collective]["ring"](ranks, count * 4, link, 1 / reduce_bytes_per_s)
    assert found.seconds == pytest.approx(expected, rel=1e-9)


@examples(50)
@given(st.integers(2, 13), st.integers(1, 500) | st.integers(53_249, 60_000), st.floats(0, 1e-4), st.floats(1e6, 1e12))
def test_a_ring_of_whole_elements_waits_for_its_longest_chunk(ranks, count, latency_s, reduce_bytes_per_s):
    link = Link(latency_s, 1e9)
    expected = whole_elements_ring(ranks, count, 4, link, 1 / reduce_bytes_per_s)
    assert seconds("ring", ranks, count, link, reduce_bytes_per_s) == pytest.approx(expected, rel=1e-9)


@examples(30)
@given(
    st.integers(2, 9),
    st.integers(1, 4000) | st.integers(1, 1 << 12).map(lambda packs: 16 * packs),  # equal, also where they are aligned
    st.floats(0, 1e-4),
    st.floats(1e9, 1e12),
)
def test_a_pipelined_ring_hides_adding_but_not_its_latencies(ranks, per_segment, latency_s, reduce_bytes_per_s):
    count, link = per_segment * 2 * ranks, Link(latency_s, 1e9)  # two segments of each chunk
    least, most = pipelined_ring(ranks, 2, count * 4, link, 1 / reduce_bytes_per_s)
    found = seconds("ring_pipelined", ranks, count, link, reduce_bytes_per_s)
    assert least * (1 - 1e-9) <= found <= most * (1 + 1e-9)


@pytest.mark.parametrize("ranks", [2, 3, 4, 8, 16])
def test_parameter_servers_among_the_ranks_go_from_naive_to_the_volume_of_the_ring(ranks):
    link, size_bytes = Link(2e-6, 1e9), ranks << 16

    def price(servers: int) -> float:
        schedule = parameter_server(ranks, size_bytes // 4, servers)
        return simulate(schedule, 4, flat(ranks, link, 4e9)).seconds

    assert price(1) == pytest.approx(naive(ranks, size_bytes, link, 1 / 4e9))
    assert price(ranks) == pytest.approx(ring(ranks, size_bytes, link, 1 / 4e9))


@pytest.mark.parametrize("ranks", [3, 4, 5, 8, 13, 16])
def test_a_double_tree_moves_large_buffers_faster_than_one_and_small_ones_as_deep(ranks):
    size_bytes, fast = 64 << 20, Link(0.0, 1e9)
    large = seconds("double_tree", ranks, size_bytes // 4, fast)
    assert 2 * (ranks - 1) / ranks * size_bytes / 1e9 <= large, "no all-reduce sends less"
    assert large < min(tree(ranks, size_bytes, fast), 1.6 * 2 * size_bytes / 1e9), (
        "about two buffers, however many ranks"
    )
    slow = Link(1e-3, 1e12)
    assert seconds("double_tree", ranks, 16, slow) <= 3 * 1e-3 * (2 * ranks.bit_length())


@given(st.integers(2, 9), st.integers(1, 5000), st.sampled_from(sorted(SCHEDULES)))
def test_the_critical_path_makes_up_the_time(ranks, count, algorithm):
    link, reduce_bytes_per_s = Link(3e-6, 2e9), 5e9
    timeline = simulate(SCHEDULES[algorithm](ranks, count), 4, flat(ranks, link, reduce_bytes_per_s))
    work = timeline.critical_path()
    made_of = (
        work.messages * link.latency_s + work.sent_bytes / link.bytes_per_s + work.reduced_bytes / reduce_bytes_per_s
    )
    assert timeline.seconds == pytest.approx(made_of, rel=1e-9)


@given(st.integers(2, 9), st.integers(1, 3000), st.sampled_from(sorted(SCHEDULES)))
def test_totals_are_those_of_the_messages(ranks, count, algorithm):
    timeline = simulate(SCHEDULES[algorithm](ranks, count), 4, flat(ranks, Link(1e-6, 1e9), 3e9))
    ends_s, sent_bytes = {}, Counter()
    for m in timeline.messages:
        ends_s[m.phase] = max(ends_s.get(m.phase, 0.0), m.end_s)
        sent_bytes[m.message.src] += m.size_bytes
    assert list(timeline.phase_ends_s().items()) == list(ends_s.items())
    assert timeline.most_sent_bytes == max(sent_bytes.values())


@given(st.integers(2, 12), st.integers(1, 3000), st.sampled_from(sorted(SCHEDULES)))
def test_ports_carry_one_message_at_a_time_and_nothing_is_sent_before_it_is_there(ranks, count, algorithm):
    timeline = simulate(SCHEDULES[algorithm](ranks, count), 4, flat(ranks, Link(1e-6, 1e9), 3e9))
    for end in ("src", "dst"):
        for rank in range(ranks):
            busy = sorted((m.start_s, m.arrived_s) for m in timeline.messages if getattr(m.message, end) == rank)
            assert all(first[1] <= second[0] + 1e-15 for first, second in pairwise(busy))
    for i, m in enumerate(timeline.messages):
        for index, added_up in timeline.needs(i):
            assert m.start_s >= timeline.messages[index][6 if added_up else 4]


@examples(30)
@given(st.sampled_from(["ring", "tree", "double_tree", "direct"]), st.integers(1, 3), st.integers(2, 4), st.data())
def test_with_channels_a_rank_has_a_port_for_its_node_and_one_for_its_card(algorithm, nodes, each, data):
    channels = data.draw(st.integers(2, each))
    topology = Topology(nodes * each, Link(3e-6, 1e9), Link(1e-6, 9e9), each, None, None, 1.0, 0.0, 3e9, channels)
    schedule = build(algorithm, topology.ranks, 1000, topology.nodes, channels=channels)
    timeline = simulate(schedule, 4, topology)
    for end, rank, is_inside in product(("src", "dst"), range(topology.ranks), (True, False)):
        busy = sorted(
            {  # those of one step between the same two ranks travel as one
                (m.start_s, m.arrived_s, m.message.src, m.message.dst)
                for m in timeline.messages
                if getattr(m.message, end) == rank and (m.message.src // each == m.message.dst // each) == is_inside
            }
        )
        assert all(first[1] <= second[0] + 1e-15 for first, second in pairwise(busy))
    assert sum(m.size_bytes for m in timeline.messages) == 4 * sum(schedule.elements_sent())


def test_a_rank_with_two_ports_sends_inside_its_node_and_out_of_it_at_once():
    step = (Transfer("x", 0, 0, 0, 1, reduce=True), Transfer("x", 0, 1, 0, 2, reduce=True))
    schedule = Schedule(4, partition(2000, 2), (step,))
    one = Topology(4, Link(0.0, 1000.0), Link(0.0, 1000.0), 2, channels=1)
    assert simulate(schedule, 1, one).seconds == pytest.approx(2)
    assert simulate(schedule, 1, replace(one, channels=None)).seconds == pytest.approx(1)


def test_messages_that_come_and_go_together_stay_together():
    """Eight share an uplink in every step: a rounding that lets one of them go first must not grow to a lead."""
    topology = Topology(16, Link(1.3e-6, 1e9), Link(0.0, 5e8), 8, nodes_per_rack=1, oversubscription=100.0)
    schedule = build("ring_pipelined", 16, 4096, topology.nodes, channels=8)
    assert simulate(schedule, 4, topology).seconds == pytest.approx(60 * (1.3e-6 + 8 * 64 / 8e7), rel=1e-9)


def test_adding_overlaps_with_the_next_segment_only_when_pipelined():
    n = 64 << 20
    link, reduce_bytes_per_s = Link(0.0, 1e9), 2e9
    plain, pipelined = (seconds(a, 4, n // 4, link, reduce_bytes_per_s) for a in ("ring", "ring_pipelined"))
    assert plain == pytest.approx(1.5 * n / 1e9 + 0.75 * n / 2e9)
    assert pipelined == pytest.approx(1.5 * n / 1e9, rel=0.02)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 50))
def test_hierarchical_costs_what_its_phases_cost(nodes, ranks_per_node, per_chunk):
    intra, inter = Link(1e-6, 100e9), Link(5e-6, 10e9)
    ranks, count = nodes * ranks_per_node, nodes * ranks_per_node * per_chunk * 12
    topology = Topology(ranks, inter, intra, ranks_per_node)
    timeline = simulate(build("hierarchical", ranks, count, topology.nodes), 4, topology)
    assert timeline.seconds == pytest.approx(hierarchical(nodes, ranks_per_node, count * 4, intra, inter), rel=1e-9)
    adding = replace(topology, reduce_bytes_per_s=7e9)
    timeline = simulate(build("hierarchical", ranks, count, topology.nodes), 4, adding)
    expected = hierarchical(nodes, ranks_per_node, count * 4, intra, inter, 1 / 7e9)
    assert timeline.seconds == pytest.approx(expected, rel=1e-9), "row 16 with γ"


def test_a_published_run_lies_between_overlapping_and_sequential_phases():
    """4 GiB on 4 nodes of 8 x B200, 50 GB/s per GPU between them: 22.05 ms (stas00's network benchmarks)."""
    intra, inter = Link(0.0, 740e9), Link(0.0, 50e9)
    topology = Topology(32, inter, intra, 8)
    count = (4 << 30) // 4
    between_s = ring(4, (4 << 30) // 8, inter)
    assert between_s == pytest.approx(16.1e-3, rel=1e-3)
    in_turn_s = simulate(build("hierarchical", 32, count, topology.nodes), 4, topology).seconds
    assert in_turn_s == pytest.approx(26.25e-3, rel=1e-3)
    assert between_s < 22.05e-3 < in_turn_s, "at best all of the time inside nodes hides behind that between them"
    one_card = Topology(32, inter, intra, 8, nics_per_node=1)
    assert simulate(build("hierarchical", 32, count, one_card.nodes), 4, one_card).seconds > 5 * 22.05e-3


def test_a_network_card_for_all_ranks_of_a_node_makes_the_phase_between_them_longer():
    intra, inter = Link(0.0, 450e9), Link(0.0, 25e9)

    def between(cards: int) -> float:
        topology = Topology(16, inter, intra, 8, nics_per_node=cards)
        ends = simulate(build("hierarchical", 16, 1 << 20, topology.nodes), 4, topology).phase_ends_s()
        return ends["between_all_gather"] - ends["reduce_scatter"]

    assert between(1) == pytest.approx(8 * between(8))
    assert between(4) == pytest.approx(2 * between(8))


def pairs(*pairs: tuple[int, int]) -> Schedule:
    """Return one step in which the named ranks send 1000 bytes each."""
    return Schedule(8, (Chunk(0, 1000),), (tuple(Transfer("x", 0, 0, a, b, reduce=False) for a, b in pairs),))


def test_messages_that_cross_one_link_share_it_while_both_are_there():
    topology = Topology(8, Link(0.0, 1000.0), nodes_per_rack=4, oversubscription=4)
    assert topology.capacity(SharedLink("rack up", 0)) == 1000
    assert simulate(pairs((0, 4)), 1, topology).seconds == pytest.approx(1)
    assert simulate(pairs((0, 4), (1, 5)), 1, topology).seconds == pytest.approx(2)
    assert simulate(pairs((0, 1), (2, 3), (4, 5)), 1, topology).seconds == pytest.approx(1), "inside the racks"
    up_and_down = simulate(pairs((0, 4), (5, 1)), 1, topology)
    assert up_and_down.seconds == pytest.approx(1), "full duplex"


def test_a_link_that_becomes_free_speeds_up_who_stays():
    topology = Topology(8, Link(0.0, 1000.0), nodes_per_rack=4, oversubscription=4)
    chunks = partition(1500, 3)
    both = Schedule(
        8,
        chunks,
        (
            (Transfer("x", 0, 0, 0, 4, reduce=False), Transfer("x", 0, 0, 1, 5, reduce=False)),
            (Transfer("x", 1, 1, 0, 4, reduce=False),),
        ),
    )
    times = [(m.start_s, m.arrived_s) for m in simulate(both, 1, topology).messages]
    assert times == [(0, pytest.approx(1)), (0, pytest.approx(1)), (pytest.approx(1), pytest.approx(1.5))]


def test_a_message_that_was_sped_up_arrives_once():
    topology = Topology(8, Link(0.0, 1000.0), nodes_per_rack=4, oversubscription=4)
    step = (Transfer("x", 0, 0, 0, 4, reduce=True), Transfer("x", 0, 1, 1, 5, reduce=True))
    unequal = simulate(Schedule(8, (Chunk(0, 500), Chunk(500, 1000)), (step,)), 1, topology)
    assert [m.arrived_s for m in unequal.messages] == pytest.approx([1, 1.5]), "not again when its first rate said"
    shared = Topology(8, Link(25e-6, 1.25e9), Link(1e-6, 10e9), 4, nics_per_node=1, reduce_bytes_per_s=5e9)
    assert simulate(SCHEDULES["direct"](8, 1 << 20), 4, shared).critical_path().messages > 0


@given(st.integers(1, 4), st.floats(1, 8), st.sampled_from(["ring", "direct", "tree", "halving_doubling"]))
@examples(25)
def test_oversubscription_never_helps_and_never_costs_more_than_its_factor(cards, factor, algorithm):
    def price(oversubscription: float) -> float:
        topology = Topology(
            16, Link(0.0, 1e9), Link(0.0, 10e9), 4, cards, nodes_per_rack=2, oversubscription=oversubscription
        )
        return simulate(SCHEDULES[algorithm](16, 16 * 64), 4, topology).seconds

    assert price(1) * (1 - 1e-9) <= price(factor) <= price(1) * factor * (1 + 1e-9)


def test_a_topology_of_another_size_is_refused():
    with pytest.raises(ValueError, match=r"topology: it has 3 ranks but the schedule 2; give both the same number\."):
        simulate(SCHEDULES["ring"](2, 4), 4, flat(3, GB_PER_S))
