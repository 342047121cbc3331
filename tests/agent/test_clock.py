"""An exchange with the server bounds the error of a node's clock, and the most exact exchange is kept."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st
from tests.agent.fake_server import TOKEN, FakeServer
from tests.agent.telemetry.test_delivery import REGISTRATION

from ringscope.contracts.protocol import CLOCK_DRIFT
from ringscope_agent.client import ServerClient
from ringscope_agent.clock import Exchange, OffsetEstimate

NOW_NS = 1_767_225_600_000_000_000
MS = 1_000_000


def exchange(
    ahead_ns: int = 0, out_ns: int = MS, held_ns: int = 0, back_ns: int = MS, server: str = "a", set_ns: int = 0
) -> Exchange:
    """Return an exchange of a node that is ``ahead_ns`` ahead and is set ``set_ns`` further before the answer."""
    received_ns = NOW_NS + out_ns
    answered_ns = received_ns + held_ns + back_ns + ahead_ns + set_ns
    return Exchange(server, NOW_NS + ahead_ns, received_ns, received_ns + held_ns, answered_ns)


@given(
    ahead_ns=st.integers(-(10**15), 10**15),
    out_ns=st.integers(0, 10**10),
    held_ns=st.integers(0, 10**10),
    back_ns=st.integers(0, 10**10),
)
def test_the_truth_is_always_within_the_error(ahead_ns: int, out_ns: int, held_ns: int, back_ns: int) -> None:
    found = exchange(ahead_ns, out_ns, held_ns, back_ns)
    assert abs(found.offset_seconds - ahead_ns / 1e9) <= found.error_seconds + 1e-9
    assert not found.is_torn


def test_the_wait_of_a_long_poll_does_not_count() -> None:
    found = exchange(ahead_ns=7 * MS, held_ns=5_000 * MS)
    assert found.offset_seconds == 0.007
    assert abs(found.error_seconds - (0.001 + CLOCK_DRIFT * 5 / 2)) < 1e-9


def test_the_most_exact_exchange_is_kept_and_grows_worse_with_age() -> None:
    estimate = OffsetEstimate()
    for back_ns in (40 * MS, MS, 30 * MS):
        estimate.note(exchange(ahead_ns=5 * MS, back_ns=back_ns), now=100)
    fresh, old = estimate.offset("a", now=100), estimate.offset("a", now=200)
    assert fresh is not None and old is not None
    assert (fresh.offset_seconds, fresh.error_seconds) == (0.005, 0.001)
    assert (old.offset_seconds, old.error_seconds) == (0.005, round(0.001 + 100 * CLOCK_DRIFT, 6))
    estimate.note(exchange(ahead_ns=5 * MS, out_ns=MS, back_ns=2 * MS), now=200)
    newer = estimate.offset("a", now=200)
    assert newer is not None and newer.error_seconds == 0.0015, "it was worse at 100 s, and is better than one so old"


def test_a_clock_that_was_set_is_noticed_at_the_next_exchange() -> None:
    estimate = OffsetEstimate()
    estimate.note(exchange(), now=0)
    estimate.note(exchange(ahead_ns=3_600_000 * MS, back_ns=50 * MS), now=5)
    found = estimate.offset("a", now=5)
    assert found is not None and abs(found.offset_seconds - 3600) < 0.026


def test_a_clock_that_is_set_back_during_a_poll_leaves_nothing_known() -> None:
    estimate = OffsetEstimate()
    estimate.note(exchange(), now=0)
    torn = exchange(held_ns=5_000 * MS, set_ns=-3_600_000 * MS)
    assert torn.is_torn
    estimate.note(torn, now=5)
    assert estimate.offset("a", now=5) is None


def test_clocks_of_different_servers_are_not_mixed() -> None:
    estimate = OffsetEstimate()
    estimate.note(exchange(ahead_ns=MS), now=0)
    assert estimate.offset("b", now=0) is None
    estimate.note(exchange(ahead_ns=9 * MS, back_ns=3 * MS, server="b"), now=0)
    found = estimate.offset("b", now=0)
    assert found is not None and found.error_seconds == 0.002
    assert estimate.offset("a", now=0) is None


async def test_each_poll_tells_what_the_exchanges_before_it_showed(server: FakeServer) -> None:
    client = ServerClient(server.url, TOKEN, REGISTRATION)
    await client.register()
    for _ in range(3):
        await client.poll(-1)
    told = [(poll.clock_offset_seconds, poll.clock_error_seconds) for poll in server.polls]
    assert len(told) == 3
    for offset, error in told:  # both read the same clock here
        assert offset is not None and error is not None
        assert abs(offset) <= error < 1
    await client.close()


async def test_the_next_server_is_not_told_of_the_last_ones_clock(server: FakeServer) -> None:
    other = FakeServer()
    await other.start()
    other.epoch = 1  # as on the first, since they share a database
    client = ServerClient(f"{server.url},{other.url}", TOKEN, REGISTRATION)
    await client.register()
    await server.stop()
    async with asyncio.timeout(30):
        await client.poll(-1)
        await client.poll(-1)
    assert [poll.clock_offset_seconds is None for poll in other.polls] == [True, False]
    await client.close()
    await server.start()
    await other.stop()
