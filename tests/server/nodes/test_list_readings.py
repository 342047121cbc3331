"""GET /readings."""

from typing import Any

from tests.server.conftest import FakeAgent, Server

from ringscope.contracts.reading import Reading
from ringscope_server.nodes.readings import KEPT, KEPT_SECONDS, SPACING_SECONDS, Readings

BUSY = {"load_average": 3.5, "memory_used_bytes": 7, "gpu_utilization_ratio": 0.5, "gpu_temperature_celsius": 61}


async def tell(agent: FakeAgent, reading: dict[str, Any] | None) -> int:
    more = {} if reading is None else {"reading": reading}
    return (await agent.post("poll", {"seen": -1} | more)).status_code


async def test_what_agents_tell_is_listed_and_one_of_an_earlier_version_tells_nothing(server: Server) -> None:
    assert await tell(await server.node("n1"), BUSY) == 200
    assert await tell(await server.node("n2"), None) == 200
    (found,) = (await server.admin.get("/api/v1/readings")).json()["items"]
    assert found.pop("age_seconds")[0] >= 0
    columns = {name: [value] for name, value in BUSY.items()}
    assert found == {"node": "n1", "gpu_memory_used_bytes": [None]} | columns


async def test_what_no_node_can_be_is_refused(server: Server) -> None:
    agent = await server.node("n1")
    for name, value in (("load_average", -1), ("gpu_utilization_ratio", 1.5), ("memory_used_bytes", 1 << 70)):
        assert await tell(agent, {name: value}) == 422, name
    assert (await server.admin.get("/api/v1/readings")).json()["items"] == []


async def test_readings_come_page_by_page_by_node(server: Server) -> None:
    for name in ("n3", "n1", "n5", "n2", "n4"):
        await tell(await server.node(name), None if name == "n3" else BUSY)
    pages = [[item["node"] for item in page] for page in await server.pages("/readings", limit=2)]
    assert pages == [["n1", "n2"], ["n4"], ["n5"]], "a silent node leaves a gap"


class Seconds:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def ages(readings: Readings) -> list[float]:
    return [age for item in readings.columns([(1, "n1"), (2, "n2")]) for age in item.age_seconds]


def test_a_node_keeps_so_many_and_no_more_often_than_so() -> None:
    seconds = Seconds()
    readings = Readings(seconds)
    for _ in range(4 * KEPT):
        readings.note(1, Reading())
        seconds.now += SPACING_SECONDS / 2
    told = ages(readings)
    assert len(told) == KEPT
    assert told[0] - told[1] == SPACING_SECONDS


def test_a_node_that_is_silent_is_forgotten() -> None:
    seconds = Seconds()
    readings = Readings(seconds)
    readings.note(1, Reading())
    seconds.now += KEPT_SECONDS + 1
    assert ages(readings) == []
    readings.note(2, Reading())
    assert ages(readings) == [0]
