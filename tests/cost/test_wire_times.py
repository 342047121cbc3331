"""The time of a message on the wire: without the wait for the sender's data, and beside what shares the link."""

from tests.cost.recorded import recorded_operations

from ringscope.contracts.operation_trace import TracedRank
from ringscope.cost.traces.wire_times import Wire, hop_samples, wires

MS = 1_000_000


def wire(source: str, target: str, start_ms: float, end_ms: float, size_bytes: int = 1 << 20) -> Wire:
    return Wire((source, target), size_bytes, round(start_ms * MS), round(end_ms * MS), False, 0)


def ratios(*messages: Wire) -> dict[tuple[str, str], float | None]:
    found = {sample.hop: sample.ratio for sample in hop_samples(messages)}
    return {hop: None if ratio is None else round(ratio, 2) for hop, ratio in found.items()}


def test_a_message_is_on_the_wire_once_both_ends_have_come() -> None:
    sendrecv = recorded_operations()[0]
    by_rank = {row.rank: row for row in sendrecv.rows if not row.is_send}
    sent = {row.rank: row.start_ns for row in sendrecv.rows if row.is_send}
    for rank, row in by_rank.items():
        assert row.recv_ns is not None
        assert row.wire_ns == row.recv_ns - max(row.start_ns, sent[row.peer]), rank
    assert all(row.wire_ns is None for row in sendrecv.rows if row.is_send)


def test_only_messages_between_nodes_count() -> None:
    sendrecv = recorded_operations()[0]
    assert len(wires(sendrecv.rows, sendrecv.ranks)) == 8
    one_node = [TracedRank(**rank.model_dump() | {"node": "n1"}) for rank in sendrecv.ranks]
    assert wires(sendrecv.rows, one_node) == []


def test_messages_that_share_a_link_may_take_longer_together() -> None:
    """One node sends to three at once, as in a tree or to all others, another one to one."""
    at_once = [wire("a", target, 0, 30) for target in "bcd"]
    assert set(ratios(*at_once, wire("e", "f", 0, 10)).values()) == {1.0}


def test_what_leaves_a_slow_node_beside_others_is_slow_and_what_goes_between_healthy_ones_is_not() -> None:
    """All send to all others; what goes to d or comes from it takes five times as long."""
    nodes = "abcd"
    sent = [wire(x, y, 0, 150 if "d" in (x, y) else 30) for x in nodes for y in nodes if x != y]
    found = ratios(*sent)
    assert {hop for hop, ratio in found.items() if ratio is not None and ratio >= 3} == {
        hop for hop in found if "d" in hop
    }
    assert max(ratio or 0 for hop, ratio in found.items() if "d" not in hop) < 1.5


def test_of_fewer_than_three_hops_nothing_is_said() -> None:
    assert ratios(wire("a", "b", 0, 10), wire("b", "a", 0, 50)) == {("a", "b"): None, ("b", "a"): None}


def test_small_messages_are_left_out_and_a_late_receiver_is_no_quick_hop() -> None:
    messages = [wire("a", "b", 0, 10), wire("b", "c", 0, 10), wire("c", "a", 0, 10)]
    late = wire("d", "a", 20, 20.1)._replace(is_held=True)
    assert ratios(*messages, late, wire("a", "d", 30, 40, 64)) == {
        ("a", "b"): 1.0, ("b", "c"): 1.0, ("c", "a"): 1.0, ("d", "a"): 0.01,
    }  # fmt: skip
