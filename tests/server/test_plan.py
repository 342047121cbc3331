"""The plan, over random clusters and queues."""

from hypothesis import given
from hypothesis import strategies as st

from ringscope.spec import Placement
from ringscope_server.scheduler.placement import NodeSlots, place
from ringscope_server.scheduler.plan import QueuedJob, Snapshot, plan

NODES = st.lists(
    st.builds(
        lambda free, rack: (tuple(sorted(free)), {"rack": rack}),
        st.sets(st.integers(0, 7), max_size=8),
        st.sampled_from(["a", "b"]),
    ),
    max_size=6,
).map(lambda found: tuple(NodeSlots(i, f"n{i}", labels, free) for i, (free, labels) in enumerate(found)))


@st.composite
def placements(draw: st.DrawFn) -> Placement:
    selector = draw(st.sampled_from([{}, {"rack": "a"}, {"rack": "c"}]))
    match draw(st.sampled_from(["free", "nodes", "per node"])):
        case "nodes":
            nodes = draw(st.integers(1, 4))
            return Placement(ranks=draw(st.integers(nodes, 12)), nodes=nodes, selector=selector)
        case "per node":
            share, nodes = draw(st.integers(1, 4)), draw(st.integers(1, 4))
            return Placement(ranks=share * nodes, ranks_per_node=share, selector=selector)
    return Placement(ranks=draw(st.integers(1, 20)), selector=selector)


QUEUES = st.lists(placements(), max_size=8).map(
    lambda found: tuple(QueuedJob(i, placement) for i, placement in enumerate(found))
)


@given(NODES, QUEUES)
def test_a_plan_is_whole_and_never_gives_a_slot_twice(
    nodes: tuple[NodeSlots, ...], queue: tuple[QueuedJob, ...]
) -> None:
    made = plan(Snapshot(nodes, queue))
    by_id = {node.id: node for node in nodes}
    given_away: set[tuple[int, int]] = set()
    for start in made.starts:
        wanted = queue[start.job_id].placement
        slots = [(share.node_id, slot) for share in start.shares for slot in share.slots]
        assert len(slots) == len(set(slots)) == wanted.ranks
        assert not given_away & set(slots)
        given_away |= set(slots)
        assert all(slot in by_id[node_id].free for node_id, slot in slots)
        assert all(by_id[share.node_id].carries(wanted.selector) for share in start.shares)
        assert len({share.node_id for share in start.shares}) == len(start.shares)
        if wanted.nodes:
            assert len(start.shares) == wanted.nodes
        if wanted.ranks_per_node:
            assert {len(share.slots) for share in start.shares} == {wanted.ranks_per_node}


@given(NODES, QUEUES)
def test_nobody_overtakes_and_everybody_is_told(nodes: tuple[NodeSlots, ...], queue: tuple[QueuedJob, ...]) -> None:
    made = plan(Snapshot(nodes, queue))
    assert [start.job_id for start in made.starts] + [wait.job_id for wait in made.waits] == [job.id for job in queue]
    assert all(wait.sentence.endswith(".") for wait in made.waits)
    assert made == plan(Snapshot(nodes, queue))


def test_one_node_is_better_than_two_and_the_fullest_that_fits_is_best() -> None:
    nodes = [NodeSlots(1, "a", {}, (0, 1, 2, 3)), NodeSlots(2, "b", {}, (4, 5)), NodeSlots(3, "c", {}, (0, 1, 2))]
    shares = place(Placement(ranks=2), nodes)
    assert shares is not None
    assert [(share.node_id, share.slots) for share in shares] == [(2, (4, 5))]


def test_a_job_that_must_wait_is_told_in_numbers() -> None:
    nodes = (NodeSlots(1, "a", {}, (0,)), NodeSlots(2, "b", {}, (0, 1)))
    queue = (QueuedJob(7, Placement(ranks=4)), QueuedJob(8, Placement(ranks=1)))
    first, second = plan(Snapshot(nodes, queue)).waits
    assert (first.reason, first.sentence) == ("slots", "Waits for slots: it needs 4, 3 are free now.")
    assert (second.reason, second.sentence) == ("behind", "Waits behind job 7, which is ahead of it in the queue.")


def test_a_shape_that_does_not_fit_says_so() -> None:
    nodes = (NodeSlots(1, "a", {}, (0, 1, 2)), NodeSlots(2, "b", {}, (0,)))
    (wait,) = plan(Snapshot(nodes, (QueuedJob(1, Placement(ranks=4, ranks_per_node=2)),))).waits
    assert wait.reason == "shape"
