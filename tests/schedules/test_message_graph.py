"""The graph of what messages wait for is made once for all sizes, and its times equal those of an event queue."""

from hypothesis import given
from hypothesis import strategies as st

from ringscope.contracts.words.collectives import PER_RANK, SCHEDULED
from ringscope.contracts.words.topology import Link, flat
from ringscope.cost.event_queue import EventQueue
from ringscope.cost.message_times import times_alone
from ringscope.schedules import message_graph
from ringscope.schedules.algorithms import build
from ringscope.schedules.message_graph import graph_of, message_steps
from ringscope.schedules.schedule import Chunk, Schedule, Transfer

NAMED = [(collective, name) for collective, names in SCHEDULED.items() for name in names]


def call(named: tuple[str, str], ranks: int, count: int) -> Schedule:
    collective, algorithm = named
    return build(algorithm, ranks, count * (ranks if collective in PER_RANK else 1), collective=collective)


@given(
    st.sampled_from(NAMED),
    st.integers(1, 13),
    st.integers(0, 200),
    st.sampled_from([0.0, 1e-6, 1 / 3]),
    st.sampled_from([1e9, 3e7, float("inf")]),
    st.sampled_from([None, 1e9, 7e5]),
)
def test_without_shared_links_no_queue_is_needed(named, ranks, count, latency_s, bytes_per_s, reduce_bytes_per_s):
    schedule = call(named, ranks, count)
    topology = flat(ranks, Link(latency_s, bytes_per_s), reduce_bytes_per_s)
    graph = graph_of(schedule)
    sizes = graph.sizes_bytes(schedule, 4)
    paths = topology.paths(graph.pairs)
    queued = EventQueue(graph, sizes, paths, topology).run()
    assert times_alone(graph, sizes, paths, topology.reduce_s_per_byte) == queued, "to the last bit"


@given(st.sampled_from(NAMED), st.integers(1, 9), st.integers(0, 100))
def test_a_graph_that_is_looked_up_is_the_one_of_this_schedule(named, ranks, count):
    schedule = call(named, ranks, count)
    graph, moving = graph_of(schedule), [m for step in message_steps(schedule) for m in step]
    assert graph == message_graph._graph(schedule, 1)
    assert graph.sizes_bytes(schedule, 4) == [4 * m.source.length for m in moving]
    assert [graph.pairs[pair] for pair in graph.pair] == [(m.src, m.dst) for m in moving]


def test_sizes_of_one_shape_share_a_graph_and_an_empty_chunk_makes_another():
    assert graph_of(build("ring", 4, 4000)) is graph_of(build("ring", 4, 1 << 20))
    few = graph_of(build("ring", 4, 3))
    assert few is not graph_of(build("ring", 4, 4)) and len(few) == 18, "three chunks, six messages each"


def test_chunks_that_leave_a_gap_are_no_run():
    def schedule(second: int) -> Schedule:
        transfers = tuple(Transfer("move", 0, chunk, 0, 1, False) for chunk in (0, 1))
        return Schedule(2, (Chunk(0, 4), Chunk(second, 4)), (transfers,))

    assert (len(graph_of(schedule(4))), len(graph_of(schedule(6)))) == (1, 2)


@given(st.integers(1, 3), st.integers(1, 4), st.integers(0, 100), st.data())
def test_at_two_ports_messages_between_two_ranks_start_together(nodes, each, per_chunk, data):
    ranks, channels = nodes * each, data.draw(st.integers(1, each))
    where = [range(node * each, (node + 1) * each) for node in range(nodes)]
    schedule = build("ring", ranks, per_chunk * ranks * channels, where, channels=channels)
    graph = graph_of(schedule, each)
    pairs = [{(m.src, m.dst) for m in step} for step in message_steps(schedule)]
    assert len(graph) == sum(map(len, pairs))
    sent = [4 * m.source.length for step in message_steps(schedule) for m in step]
    assert sum(graph.sizes_bytes(schedule, 4)) == sum(sent)
    assert graph is graph_of(schedule, each)
    for i in range(len(graph)):
        assert all(need.number < i for need in graph.needs(i))
