from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope.contracts.words.collectives import ALGORITHMS as ALGORITHM_NAMES
from ringscope.contracts.words.collectives import AUTO, VENDORS
from ringscope.schedules.algorithms import SCHEDULES, build
from ringscope.schedules.algorithms.direct import direct
from ringscope.schedules.algorithms.double_tree import double_tree, parents
from ringscope.schedules.algorithms.halving_doubling import halving_doubling
from ringscope.schedules.algorithms.hierarchical import hierarchical
from ringscope.schedules.algorithms.naive import naive
from ringscope.schedules.algorithms.parameter_server import parameter_server, separate_servers
from ringscope.schedules.algorithms.recursive_doubling import recursive_doubling
from ringscope.schedules.algorithms.ring import reversed_ring, ring
from ringscope.schedules.algorithms.tree import tree
from ringscope.schedules.schedule import (
    LEAST_ALIGNED,
    LINE_ELEMENTS,
    Schedule,
    Transfer,
    aligned,
    hubs,
    longest,
    partition,
)

RANKS = st.integers(1, 17)
COUNTS = st.one_of(st.integers(0, 40), st.sampled_from([97, 127, 128, 1009, 65537]))
ALGORITHMS = st.sampled_from(sorted(SCHEDULES))


def contributions(schedule: Schedule) -> list[list[Counter[int]]]:
    """Count each rank's contributions to every chunk of every rank after the schedule; steps are simultaneous."""
    held = [[Counter({rank: 1}) for _ in schedule.chunks] for rank in range(schedule.ranks)]
    for step in schedule.steps:
        before = [[Counter(chunk) for chunk in rank] for rank in held]
        for t in step:
            sent = before[t.src][t.chunk]
            held[t.dst][t.target] = before[t.dst][t.target] + sent if t.reduce else sent
    return held


def assert_everyone_has_everything(schedule: Schedule) -> None:
    everyone = Counter(range(schedule.ranks))
    for rank in contributions(schedule):
        assert all(held == everyone or not chunk.length for held, chunk in zip(rank, schedule.chunks, strict=True))


@given(ALGORITHMS, RANKS, COUNTS)
def test_every_rank_ends_with_every_contribution_exactly_once(algorithm, ranks, count):
    assert_everyone_has_everything(SCHEDULES[algorithm](ranks, count))


@given(RANKS, COUNTS)
def test_the_ring_in_the_other_direction_leaves_every_chunk_with_the_same_owner(ranks, count):
    reverse, forward = reversed_ring(ranks, count), SCHEDULES["ring"](ranks, count)
    assert_everyone_has_everything(reverse)
    sent = [transfer for step in reverse.steps for transfer in step]
    assert all(transfer.dst == (transfer.src - 1) % ranks for transfer in sent)
    if ranks > 1:
        last = ranks - 2  # the last step of the reduce-scatter
        owners = [{move.chunk: move.dst for move in schedule.steps[last]} for schedule in (reverse, forward)]
        assert owners[0] == owners[1]


@pytest.mark.parametrize("algorithm", ["ring_pipelined", "double_tree"])
@pytest.mark.parametrize("ranks", [2, 3, 4, 7])
def test_so_it_does_in_many_segments(algorithm, ranks):
    schedule = SCHEDULES[algorithm](ranks, 10_000_019)
    assert len(schedule.chunks) > 2 * ranks
    assert_everyone_has_everything(schedule)


NODES = st.lists(st.integers(1, 5), min_size=1, max_size=5).flatmap(
    lambda sizes: st.permutations(range(sum(sizes))).map(
        lambda ranks: [ranks[sum(sizes[:i]) : sum(sizes[: i + 1])] for i in range(len(sizes))]
    )
)


@given(NODES, COUNTS)
def test_so_it_does_over_any_nodes(nodes, count):
    assert_everyone_has_everything(hierarchical(sum(map(len, nodes)), count, nodes))


@given(st.integers(1, 9), RANKS, COUNTS)
def test_so_it_does_with_any_number_of_servers(servers, ranks, count):
    assert_everyone_has_everything(parameter_server(ranks, count, servers))


@given(ALGORITHMS, RANKS, COUNTS)
def test_chunks_cover_the_buffer_in_order(algorithm, ranks, count):
    schedule = SCHEDULES[algorithm](ranks, count)
    position = 0
    for chunk in schedule.chunks:
        assert chunk.offset == position
        position += chunk.length
    assert position == count == schedule.length


@given(ALGORITHMS, RANKS, COUNTS)
def test_transfers_of_a_step_do_not_conflict(algorithm, ranks, count):
    for number, step in enumerate(SCHEDULES[algorithm](ranks, count).steps):
        written = [(t.dst, t.target) for t in step]
        assert len(set(written)) == len(written)
        assert all(t.step == number and t.src != t.dst for t in step)


@given(ALGORITHMS, RANKS, COUNTS)
def test_every_rank_has_one_partner_each_way_in_a_step(algorithm, ranks, count):
    """One port each way, which the cost model takes for granted."""
    for step in SCHEDULES[algorithm](ranks, count).steps:
        pairs = {(t.src, t.dst) for t in step}
        assert len({src for src, _ in pairs}) == len({dst for _, dst in pairs}) == len(pairs)


LEAST = ["ring", "ring_pipelined", "direct", "hierarchical"]


@given(st.sampled_from(LEAST), RANKS, st.integers(0, 500))
def test_rings_and_direct_send_the_least_possible(algorithm, ranks, per_rank):
    sent = SCHEDULES[algorithm](ranks, 2 * per_rank * ranks).elements_sent()
    assert sent == [4 * (ranks - 1) * per_rank] * ranks


@given(st.sampled_from(LEAST), RANKS, COUNTS)
def test_uneven_chunks_cost_at_most_one_element_per_message_or_one_line_if_they_are_long(algorithm, ranks, count):
    sent = SCHEDULES[algorithm](ranks, count).elements_sent()
    assert sum(sent) == 2 * (ranks - 1) * count
    more = 2 if count < ranks * LEAST_ALIGNED else LINE_ELEMENTS
    assert max(sent) <= 2 * (ranks - 1) * (count // ranks + more)


@given(st.sampled_from(["naive", "tree", "double_tree", "parameter_server"]), RANKS, COUNTS)
def test_trees_and_servers_move_every_element_once_up_and_once_down_each_edge(algorithm, ranks, count):
    assert sum(SCHEDULES[algorithm](ranks, count).elements_sent()) == 2 * (ranks - 1) * count


@given(RANKS, COUNTS)
def test_a_rank_of_a_tree_sends_once_to_its_parent_and_once_to_each_child(ranks, count):
    def children(rank: int) -> int:
        reach = rank & -rank or ranks
        return sum(1 << bit < reach and rank + (1 << bit) < ranks for bit in range(ranks.bit_length()))

    assert tree(ranks, count).elements_sent() == [(children(rank) + (rank > 0)) * count for rank in range(ranks)]


@given(RANKS, COUNTS)
def test_recursive_doubling_sends_the_buffer_in_every_round(ranks, count):
    power = ranks.bit_length() - 1
    surplus = ranks - (1 << power)
    folded = [count, (power + 1) * count] * surplus
    assert recursive_doubling(ranks, count).elements_sent() == folded + [power * count] * (ranks - 2 * surplus)


@given(RANKS, st.integers(0, 100))
def test_halving_doubling_sends_as_little_as_the_ring_of_a_power_of_two(ranks, per_part):
    parts = 1 << (ranks.bit_length() - 1)
    count, least, surplus = parts * per_part, 2 * (parts - 1) * per_part, ranks - parts
    sent = halving_doubling(ranks, count).elements_sent()
    assert sent == [count, count + least] * surplus + [least] * (ranks - 2 * surplus)


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 9))
def test_hierarchical_sends_little_between_nodes(per_node, nodes, share):
    ranks = per_node * nodes
    groups = [range(node * per_node, (node + 1) * per_node) for node in range(nodes)]
    schedule = hierarchical(ranks, ranks * share, groups)
    assert schedule.elements_sent() == [2 * (ranks - 1) * share] * ranks
    between = [0] * ranks
    for t in schedule.transfers():
        between[t.src] += schedule.chunks[t.chunk].length * (t.src // per_node != t.dst // per_node)
    assert between == [2 * (nodes - 1) * share] * ranks


def test_nodes_must_name_every_rank_once():
    with pytest.raises(ValueError, match=r"does not name every rank from 0 to 2 once"):
        hierarchical(3, 10, [[0, 1]])


@given(st.integers(1, 9), RANKS, st.integers(0, 50))
def test_servers_share_the_load(servers, ranks, share):
    servers = min(servers, ranks)
    sent = sorted(parameter_server(ranks, servers * share, servers).elements_sent())
    worker, server = servers * share, (servers - 1) * share + (ranks - 1) * share
    assert sent == [worker] * (ranks - servers) + [server] * servers


@given(st.integers(1, 9), st.integers(1, 12), st.integers(0, 50))
def test_separate_servers_give_every_worker_the_sum_of_the_workers(servers, workers, share):
    schedule = separate_servers(workers, servers * share, servers)
    held = contributions(schedule)
    everyone = Counter(range(workers))
    for rank in range(schedule.ranks):
        for i, chunk in enumerate(schedule.chunks):
            assert schedule.is_output(rank, i) == (rank < workers or workers == 1)
            assert held[rank][i] == everyone or not (chunk.length and schedule.is_output(rank, i)) or workers == 1
    for number, step in enumerate(schedule.steps):
        assert len({t.src for t in step}) == len({t.dst for t in step}) == len(step), "one port each way"
        assert all(t.step == number for t in step)
    sent = [servers * share] * workers + [workers * share] * servers
    assert schedule.elements_sent() == (sent if workers > 1 else [0] * schedule.ranks)


@given(st.integers(2, 65))
def test_no_rank_but_a_root_is_inner_in_both_trees(ranks):
    first, second = parents(ranks)
    roots = {(set(range(ranks)) - set(tree)).pop() for tree in (first, second)}
    assert not set(first.values()) & set(second.values()) - roots - {0}
    for parent in (first, second):
        assert len(parent) == ranks - 1
        assert max(Counter(parent.values()).values()) <= 2


@given(st.integers(2, 17), st.integers(1, 100))
def test_step_counts_of_trees(ranks, count):
    assert len(tree(ranks, count).steps) == 2 * (ranks - 1).bit_length()
    surplus = ranks & (ranks - 1) != 0
    assert len(recursive_doubling(ranks, count).steps) == ranks.bit_length() - 1 + 2 * surplus
    assert len(halving_doubling(ranks, count).steps) == 2 * (ranks.bit_length() - 1) + 2 * surplus


@given(st.integers(3, 33))
def test_segments_of_the_double_tree_follow_closely(ranks):
    one, many = double_tree(ranks, 2), double_tree(ranks, 2 * 32 << 16)
    assert len(many.chunks) == 32 * len(one.chunks)
    assert len(many.steps) < len(one.steps) + 31 * 6.5, (
        "4 at least: an inner rank receives 3 times for its tree, once for the other"
    )


def test_every_name_is_known_to_specifications():
    assert {AUTO, *SCHEDULES, *VENDORS} == set(ALGORITHM_NAMES)


@given(RANKS, COUNTS)
def test_naive_loads_the_root(ranks, count):
    assert naive(ranks, count).elements_sent() == [(ranks - 1) * count] + [count] * (ranks - 1)


@given(st.integers(2, 17), st.integers(1, 100))
def test_step_counts(ranks, count):
    assert len(ring(ranks, count).steps) == len(direct(ranks, count).steps) == 2 * (ranks - 1)


@given(st.integers(0, 10_000), st.integers(1, 64))
def test_partition_gives_the_first_chunks_the_rest(count, parts):
    lengths = [chunk.length for chunk in partition(count, parts)]
    assert lengths == sorted(lengths, reverse=True)
    assert max(lengths) - min(lengths) <= 1
    assert sum(lengths) == count


@given(st.integers(0, 1 << 20), st.integers(1, 64))
def test_long_chunks_begin_at_lines_and_are_hardly_longer(count, parts):
    chunks = aligned(count, parts)
    ends = [0, *(chunk.offset + chunk.length for chunk in chunks)]
    assert [chunk.offset for chunk in chunks] == ends[:-1] and ends[-1] == count and len(chunks) == parts
    assert longest(count, parts) == max(chunk.length for chunk in chunks) < -(-count // parts) + LINE_ELEMENTS
    if count < parts * LEAST_ALIGNED or count % (16 * parts) == 0:
        assert chunks == partition(count, parts)
    else:
        assert all(chunk.offset % LINE_ELEMENTS == 0 for chunk in chunks)


@pytest.mark.parametrize("ranks", [3, 5, 6, 7])
@pytest.mark.parametrize("count", [1 << 18, (1 << 20) + 1])
def test_every_transfer_of_bytes_begins_at_a_pack_unless_the_collective_fixes_the_parts(ranks, count):
    nodes = [range(ranks // 2), range(ranks // 2, ranks)]
    for algorithm in SCHEDULES:
        for channels in (1, ranks // 2):
            schedule = build(algorithm, ranks, count, nodes, channels=channels)
            assert all(schedule.chunks[t.target].offset % 16 == 0 for t in schedule.transfers()), algorithm
    for collective in ("reduce_scatter", "all_gather"):
        assert build("ring", ranks, count, collective=collective).chunks == partition(count, ranks)


@given(st.integers(2, 17), st.integers(20, 100))
def test_direct_and_naive_have_hubs(ranks, count):
    found = hubs(direct(ranks, count))
    assert [hub.rank for hub in found] == list(range(ranks))
    assert all(sorted(hub.sources) == sorted(hub.destinations) for hub in found)
    assert [(hub.rank, hub.sources) for hub in hubs(naive(ranks, count))] == [(0, tuple(range(1, ranks)))]


@given(st.integers(3, 17), st.integers(20, 100))
def test_a_ring_of_three_or_more_has_no_hub(ranks, count):
    assert hubs(ring(ranks, count)) is None


def test_a_schedule_that_writes_before_it_reads_has_no_hub():
    late = Schedule(
        3,
        partition(4, 1),
        ((Transfer("x", 0, 0, 0, 1, reduce=False),), (Transfer("x", 1, 0, 2, 0, reduce=True),)),
    )
    assert hubs(late) is None


@pytest.mark.parametrize(
    ("algorithm", "hops"),
    [("ring", 14), ("direct", 2), ("naive", 2), ("tree", 6), ("halving_doubling", 6), ("recursive_doubling", 3)],
)
def test_hops_are_the_transfers_that_wait_for_each_other(algorithm: str, hops: int) -> None:
    assert SCHEDULES[algorithm](8, 64).hops() == hops
