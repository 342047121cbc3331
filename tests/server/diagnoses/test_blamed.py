"""A blamed node causes the webhook, the drain that a schedule asks for within its bound, and the gauge."""

from typing import Any

import pytest
from tests.server.conftest import Clock, FakeAgent, Server
from tests.server.diagnoses.test_get_diagnosis import BLAMED, NODES, VERDICT, end, pair, started
from tests.server.metrics_page import key, samples
from tests.server.receiver import LOOPBACK, running_receiver
from tests.server.training_jobs import get
from tests.server.webhooks.test_deliver_webhooks import allow, make, send

from ringscope_server.db.models import Job
from ringscope_server.diagnoses.draining import may_drain

REASON = f"Diagnosis {{job}}: {BLAMED['sentence']}"


async def let_a_schedule_own(server: Server, job_id: int, share: float | None) -> None:
    spec = {"kind": "diagnosis", "placement": {"node_names": NODES}}
    body = {"name": "nightly", "cron": "0 3 * * *", "spec": spec, "drain_on_blame": share}
    made = await server.admin.post("/api/v1/schedules", json=body)
    assert made.status_code == 201, made.text
    assert made.json()["drain_on_blame"] == share
    async with server.services.database.write() as session:
        (await session.get_one(Job, job_id)).schedule_id = made.json()["id"]


async def diagnosed(server: Server, share: float | None = None, is_scheduled: bool = True) -> int:
    """A diagnosis that blames n3."""
    agents, job_id, attempt = await started(server)
    if is_scheduled:
        await let_a_schedule_own(server, job_id, share)
    await agents[0].records(attempt, pair(0, 1), VERDICT)
    await end(agents, attempt)
    return job_id


async def node(server: Server, name: str) -> dict[str, Any]:
    found: dict[str, Any] = (await server.admin.get(f"/api/v1/nodes/{name}")).json()
    return found


async def test_a_webhook_receives_the_blame(server: Server) -> None:
    allow(server, LOOPBACK)
    async with running_receiver() as receiver:
        await make(server, receiver.url(), "diagnosis.blamed")
        job_id = await diagnosed(server, is_scheduled=False)
        await send(server)
        (message,) = receiver.messages
    told = message.json
    assert (told["type"], told["data"]["target_id"]) == ("diagnosis.blamed", str(job_id))
    assert (told["data"]["after"], told["data"]["message"]) == ("n3", BLAMED["sentence"])


async def test_a_schedule_drains_a_blamed_node_with_the_verdict_as_the_reason(server: Server) -> None:
    job_id = await diagnosed(server, 0.34)
    drained = await node(server, "n3")
    assert (drained["desired"], drained["desired_by"]) == ("drain", "schedule/nightly")
    assert drained["desired_reason"] == REASON.format(job=job_id)
    events = (await server.admin.get("/api/v1/nodes/n3/events")).json()["items"]
    assert [each["message"] for each in events if each["action"] == "node.drained"] == [REASON.format(job=job_id)]


@pytest.mark.parametrize(("share", "is_scheduled"), [(None, True), (None, False)])
async def test_nothing_is_drained_without_a_schedule_that_says_so(
    server: Server, share: float | None, is_scheduled: bool
) -> None:
    await diagnosed(server, share, is_scheduled)
    assert (await node(server, "n3"))["desired"] == "active"


async def test_no_more_nodes_are_drained_than_the_schedule_allows(server: Server) -> None:
    agents, job_id, attempt = await started(server)
    await let_a_schedule_own(server, job_id, 0.34)
    assert (await server.admin.post("/api/v1/nodes/n1/drain", json={"reason": "new DIMM"})).status_code == 200
    await agents[0].records(attempt, VERDICT)
    await end(agents, attempt)
    assert (await node(server, "n3"))["desired"] == "active"
    events = (await get(server, job_id, "events"))["items"]
    (refused,) = [each["message"] for each in events if each["action"] == "diagnosis.not_drained"]
    assert refused == "n3 is blamed, and was not drained: 1 of 3 nodes are drained, and schedule nightly allows 34%."


def test_the_bound_is_a_share_of_all_nodes() -> None:
    assert [may_drain(0.1, count, 0) for count in (9, 10, 20)] == [False, True, True]
    assert [may_drain(0.5, 4, drained) for drained in (0, 1, 2)] == [True, True, False]


async def test_only_a_schedule_of_diagnoses_can_drain(server: Server) -> None:
    body = {"name": "nightly", "cron": "0 3 * * *", "spec": {"benchmark": {"max_bytes": 8}}, "drain_on_blame": 0.1}
    refused = await server.admin.post("/api/v1/schedules", json=body)
    assert refused.status_code == 422 and "only a job of kind diagnosis" in refused.text
    spec = {"kind": "diagnosis", "placement": {"node_names": NODES}}
    refused = await server.admin.post("/api/v1/schedules", json=body | {"spec": spec, "drain_on_blame": 2})
    assert refused.status_code == 422


async def again(server: Server, agents: list[FakeAgent], **told: Any) -> int:
    """Another diagnosis on the same nodes, with this verdict."""
    job = await server.submit(kind="diagnosis", placement={"node_names": NODES})
    await server.one_pass()
    attempt: int = (await agents[0].assignments())[-1]["attempt_id"]
    for event in ("ready", "running"):
        for agent in agents:
            agent.sequence = 0
            await agent.report(attempt, event)
    await agents[0].records(attempt, VERDICT | told)
    await end(agents, attempt)
    await server.one_pass()
    number: int = job["id"]
    return number


async def shown(server: Server) -> list[dict[str, Any]]:
    """Return what the overview shows as blamed."""
    found: list[dict[str, Any]] = (await server.admin.get("/api/v1/cluster")).json()["blamed"]
    return found


async def test_gauge_and_overview_have_a_blame_until_a_later_diagnosis_lacks_it_or_a_day_has_passed(
    server: Server, clock: Clock
) -> None:
    def blamed(job_id: int) -> Any:
        return key("diagnosis_blamed", job_id=str(job_id), kind="node", names="n3")

    agents, first, attempt = await started(server)
    await agents[0].records(attempt, VERDICT)
    assert await shown(server) == []
    await end(agents, attempt)
    blame = {"kind": "node", "names": ["n3"], "sentence": BLAMED["sentence"]}
    assert await shown(server) == [{"job_id": first} | blame]
    await server.one_pass()
    assert (await samples(server))[blamed(first)] == 1
    clock.advance(10)
    await again(server, agents, blamed=[], sentences=["Nothing is wrong."])
    assert blamed(first) not in await samples(server)
    assert await shown(server) == []
    clock.advance(10)
    third = await again(server, agents)
    assert (await samples(server))[blamed(third)] == 1
    assert await shown(server) == [{"job_id": third} | blame]
    clock.advance(5)
    for change in ({"json": {"reason": "its card"}}, {}):
        (await server.admin.post(f"/api/v1/nodes/n3/{'drain' if change else 'resume'}", **change)).raise_for_status()
        assert await shown(server) == [], "somebody has looked at the node"
    clock.advance(5)
    fourth = await again(server, agents)
    assert await shown(server) == [{"job_id": fourth} | blame]
    clock.advance(24 * 3600)
    assert await shown(server) == []
    await server.one_pass()
    assert blamed(third) not in await samples(server)
