"""Slow links by followed operations: the node that slow hops share is named, and no healthy one."""

from tests.cost.recorded import recorded

from ringscope.contracts.traced import TracedTransfer
from ringscope_server.insights.limits import Limits
from ringscope_server.insights.slow_hops import SlowHops
from ringscope_server.insights.step_windows import CROWDED_MIN_US
from ringscope_server.insights.watch import News, Watch


def noted(*operations: int) -> SlowHops:
    hops = SlowHops(ranks=8)
    for told, clocks in (recorded()[operation] for operation in operations):
        hops.note(told[:3], clocks)
        hops.note(told[3:], clocks)
    return hops


def test_a_sendrecv_and_a_ring_name_the_slow_host_on_a_crowded_machine_and_no_other() -> None:
    for operations in ((0, 1), (2, 3), (2,)):
        (found,) = noted(*operations).judge(CROWDED_MIN_US)
        assert (found.kind, found.node, found.rank, found.windows) == ("slow_link", "h5", None, 1)
        assert [(hop["src"], hop["dst"]) for hop in found.evidence["hops"]] == [("h4", "h5"), ("h5", "h6")]


def test_one_message_of_a_hop_is_too_few_to_tell() -> None:
    assert noted(0).judge(CROWDED_MIN_US) == []


def test_an_operation_counts_once_all_ranks_have_told_of_it() -> None:
    hops = SlowHops(ranks=8)
    told, clocks = recorded()[2]
    hops.note(told[:7], clocks)
    assert hops.judge(0) == []
    hops.note(told[7:], clocks)
    assert [found.node for found in hops.judge(0)] == ["h5"]


def test_the_watch_tells_it_and_what_later_operations_refute_is_over() -> None:
    watch = Watch(8, Limits(60), {})
    told, clocks = recorded()[2]
    watch.hops.note(told, clocks)
    news = News(now=0.0, is_running=False, samples={})
    (found,) = watch.look(news, set()).opened
    assert found.key == ("slow_link", "h5")
    healed = [trace.model_copy(update={"transfers": [*map(quick, trace.transfers)]}) for trace in told]
    for _ in range(9):
        watch.hops.note(healed, clocks)
    assert watch.look(news, {found.key}).over == {found.key}


def quick(transfer: TracedTransfer) -> TracedTransfer:
    start_ns = transfer.step * 20_000_000
    return transfer._replace(start_ns=start_ns, recv_ns=start_ns + 10_000_000)
