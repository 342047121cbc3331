"""GET /nodes/{name}/history: a node's load by the minute over the last day."""

import pytest
from tests.server.conftest import Server

from ringscope.contracts.reading import Reading
from ringscope_server.background import upkeep
from ringscope_server.nodes.readings import SPACING_SECONDS, Readings

pytestmark = pytest.mark.both_databases


async def test_minutes_are_kept_for_a_day_and_one_that_is_stored_stays(server: Server) -> None:
    agent = await server.node("n1")
    await agent.post("poll", {"seen": -1, "reading": {"load_average": 3, "memory_used_bytes": 1 << 40}})
    server.clock.advance(90)
    await upkeep.once(server.services)
    await upkeep.once(server.services)
    told = (await server.admin.get("/api/v1/nodes/n1/history")).json()
    assert told["minute"] == ["2026-01-01T00:01:00Z"]
    assert (told["load_average"], told["memory_used_bytes"]) == ([3], [1 << 40])
    assert told["network_bytes_per_second"] == told["gpu_utilization_ratio"] == [None]
    server.clock.advance(24 * 3600)
    assert (await server.admin.get("/api/v1/nodes/n1/history")).json()["minute"] == []
    assert (await server.admin.get("/api/v1/nodes/n2/history")).status_code == 404


def test_a_minute_has_the_means_of_its_readings_and_the_rate_of_the_network() -> None:
    now = [0.0]
    readings = Readings(lambda: now[0])
    for step in range(12):
        readings.note(1, Reading(load_average=step, network_bytes=1000 * step))
        now[0] += SPACING_SECONDS
    told = readings.minute()[1]
    assert told.load_average == 8.5  # of the readings 6 to 11
    assert told.network_bytes_per_second == 1000 / SPACING_SECONDS
    readings.note(1, Reading(network_bytes=5))
    assert readings.minute()[1].network_bytes_per_second is None, "the node's count began anew"
    now[0] += 120
    assert readings.minute() == {}
