"""POST /jobs/{id}/hold and /release."""

import pytest
from tests.server.conftest import ONE_SIZE, Clock, Server


async def test_a_held_job_does_not_start_until_it_is_released(server: Server, clock: Clock) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    url = f"/api/v1/jobs/{job['id']}"
    held = (await server.admin.post(f"{url}/hold")).json()
    assert (held["state"], held["pending"]["reason"]) == ("held", "held")
    assert held["pending"]["sentence"] == "Held by admin: it waits until somebody releases it."
    await server.one_pass()
    assert (await server.job(job["id"]))["state"] == "held"
    clock.advance(10)
    released = (await server.admin.post(f"{url}/release")).json()
    assert (released["state"], released["pending"], released["queued_at"]) == ("queued", None, "2026-01-01T00:00:10Z")
    await server.one_pass()
    assert (await server.job(job["id"]))["state"] == "starting"
    events = (await server.admin.get(f"{url}/events")).json()["items"]
    assert [(e["action"], e["actor"]) for e in events] == [
        ("job.submitted", "admin"),
        ("job.held", "admin"),
        ("job.released", "admin"),
        ("job.starting", "system"),
    ]


async def test_a_job_can_be_submitted_as_held(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE, hold=True)
    assert (job["state"], job["pending"]["reason"]) == ("held", "held")
    await server.one_pass()
    assert (await server.job(job["id"]))["state"] == "held"
    cancelled = await server.admin.post(f"/api/v1/jobs/{job['id']}/cancel")
    assert cancelled.json()["state"] == "cancelled"


@pytest.mark.parametrize("action", ["hold", "release"])
async def test_doing_it_twice_is_harmless_and_a_started_job_says_what_can_be(server: Server, action: str) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE, hold=True)
    url = f"/api/v1/jobs/{job['id']}/{action}"
    states = {(await server.admin.post(url)).json()["state"] for _ in range(2)}
    assert states == {"held" if action == "hold" else "queued"}
    await server.admin.post(f"/api/v1/jobs/{job['id']}/release")
    await agent.start_next()
    refused = await server.admin.post(url)
    assert (refused.status_code, refused.json()["code"]) == (409, "wrong_state")
    can_be = "queued" if action == "hold" else "held"
    assert refused.json()["detail"].startswith(f"Job {job['id']} is running; only a {can_be} job can be")


async def test_an_unknown_job_is_a_404(server: Server) -> None:
    for action in ("hold", "release"):
        assert (await server.admin.post(f"/api/v1/jobs/77/{action}")).status_code == 404
