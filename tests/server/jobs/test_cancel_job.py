"""POST /jobs/{id}/cancel."""

from tests.server.conftest import ONE_SIZE, Server


async def test_a_waiting_job_ends_at_once(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    cancelled = (await server.admin.post(f"/api/v1/jobs/{job['id']}/cancel")).json()
    assert (cancelled["state"], cancelled["reason"]) == ("cancelled", "user_cancelled")


async def test_a_running_job_ends_only_when_its_node_is_clean(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    cancelled = (await server.admin.post(f"/api/v1/jobs/{job['id']}/cancel")).json()
    assert (cancelled["state"], cancelled["reason"]) == ("stopping", "user_cancelled")
    assert [a["desired"] for a in await agent.assignments()] == ["stop"]
    await agent.report(attempt, "ended", reason="rank_signal", message="killed")
    assert (await server.job(job["id"]))["state"] == "stopping"
    await agent.report(attempt, "clean")
    ended = await server.job(job["id"])
    assert (ended["state"], ended["reason"], ended["message"]) == ("cancelled", "user_cancelled", "Cancelled by admin.")
    assert await agent.assignments() == []


async def test_cancelling_twice_is_harmless(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    url = f"/api/v1/jobs/{job['id']}"
    for _ in range(2):
        assert (await server.admin.post(f"{url}/cancel")).status_code == 200
    await agent.report(attempt, "clean")
    events = (await server.admin.get(f"{url}/events")).json()
    again = await server.admin.post(f"{url}/cancel")
    assert (again.status_code, again.json()["state"]) == (200, "cancelled")
    assert (await server.admin.get(f"{url}/events")).json() == events


async def test_a_job_that_has_ended_otherwise_cannot_be_cancelled(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.report(attempt, "ended", reason="rank_exit", message="x")
    await agent.report(attempt, "clean")
    over = await server.admin.post(f"/api/v1/jobs/{job['id']}/cancel")
    assert (over.status_code, over.json()["code"]) == (409, "wrong_state")
