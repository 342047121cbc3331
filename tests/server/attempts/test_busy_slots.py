"""GET /cluster/slots: the slots that were busy over the last hours."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.server.conftest import ONE_SIZE, Server

from ringscope_server.attempts.busy_slots import BINS, mean_busy

SINCE = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("start", "end", "busy"),
    [
        (0, 4, [2, 2, 2, 2]),
        (1, 1.5, [0, 1, 0, 0]),
        (0.5, 2.25, [1, 2, 0.5, 0]),
        (-3, 0.5, [1, 0, 0, 0]),
        (3.5, 9, [0, 0, 0, 1]),
        (-3, -1, [0, 0, 0, 0]),
        (5, 9, [0, 0, 0, 0]),
    ],
)
def test_an_attempt_counts_for_its_share_of_each_part(start: float, end: float, busy: list[float]) -> None:
    held = [(SINCE + start * HOUR, SINCE + end * HOUR, 2)]
    assert mean_busy(held, SINCE, SINCE + 4 * HOUR, HOUR) == busy
    early = mean_busy(held, SINCE, SINCE + 3.5 * HOUR, HOUR)
    assert early[:3] == busy[:3], "what is past does not change"
    assert early[3] == (2 if start <= 3 and end >= 3.5 else 0)


async def test_a_running_job_is_busy_until_now_and_an_ended_one_until_its_end(server: Server) -> None:
    agent = await server.node("n1")
    await server.submit(**ONE_SIZE)
    attempt_id = await agent.start_next()
    server.clock.advance(1800)
    sent = server.clock() - timedelta(seconds=1800)
    running = (await server.admin.get("/api/v1/cluster/slots?hours=1")).json()
    assert running["bin_seconds"] == 3600 / BINS
    bins = timedelta(seconds=running["bin_seconds"])
    since = datetime.fromisoformat(running["since"])
    assert (since.timestamp() / bins.total_seconds()).is_integer(), "parts begin at round times"
    assert running["busy"][-1] == 2, "of the last part only what is over counts"
    assert running["busy"][(sent - since) // bins + 1] == 2 and running["busy"][(sent - since) // bins - 1] == 0
    await agent.report(attempt_id, "ended", reason="completed")
    await agent.report(attempt_id, "clean")
    server.clock.advance(1800)
    ended = (await server.admin.get("/api/v1/cluster/slots?hours=1")).json()
    assert ended["busy"][1] == 2
    assert ended["busy"][-1] == 0
    both = datetime.fromisoformat(ended["since"])
    shift = (both - since) // bins
    assert ended["busy"][1 : len(running["busy"]) - shift - 1] == running["busy"][shift + 1 : -1], "past parts stay"
    server.clock.advance(3600)
    assert sum((await server.admin.get("/api/v1/cluster/slots?hours=1")).json()["busy"]) == 0
