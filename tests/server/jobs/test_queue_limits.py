"""The time that a job may wait and the number of a user's waiting jobs are limited."""

from tests.server.conftest import ONE_SIZE, Clock, Server

from ringscope_server.settings import Settings


async def test_a_job_that_waited_too_long_fails_and_says_so(server: Server, clock: Clock) -> None:
    agent = await server.node(slots=2)
    await server.submit(**ONE_SIZE)
    await agent.start_next()
    patient = await server.submit(**ONE_SIZE)
    hasty = await server.submit(**ONE_SIZE, queue_timeout_seconds=10)
    held = await server.submit(**ONE_SIZE, queue_timeout_seconds=10, hold=True)
    clock.advance(10)
    await server.one_pass()
    assert (await server.job(hasty["id"]))["state"] == "queued"
    clock.advance(1)
    await server.one_pass()
    failed = await server.job(hasty["id"])
    assert (failed["state"], failed["reason"], failed["pending"]) == ("failed", "queue_timeout", None)
    assert failed["message"] == "It waited longer than its queue timeout of 10 s."
    assert server.services.monitoring.finished["benchmark", "failed"] == 1
    assert [(await server.job(job["id"]))["state"] for job in (patient, held)] == ["queued", "held"]
    await server.admin.post(f"/api/v1/jobs/{held['id']}/release")
    clock.advance(10)
    await agent.assignments()
    await server.one_pass()
    assert (await server.job(held["id"]))["state"] == "queued", "the wait starts with the release"


def limit(server: Server, max_queued: int) -> None:
    values = server.services.settings.model_dump() | {"max_queued_jobs_per_user": max_queued}
    server.services.settings = Settings(**values)


async def test_a_user_may_have_only_so_many_jobs_waiting(server: Server) -> None:
    agent = await server.node(slots=2)
    limit(server, 2)
    running = await server.submit(**ONE_SIZE)
    await agent.start_next()
    await server.submit(**ONE_SIZE)
    await server.submit(**ONE_SIZE, hold=True)
    refused = await server.admin.post("/api/v1/jobs", json=ONE_SIZE)
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_queued")
    assert refused.json()["detail"] == (
        "admin has 2 jobs waiting, and 2 at most may wait; try again when some have started, or cancel some."
    )
    clone = await server.admin.post(f"/api/v1/jobs/{running['id']}/clone", json={})
    assert clone.json()["code"] == "too_many_queued"
    limit(server, 3)
    assert (await server.admin.post("/api/v1/jobs", json=ONE_SIZE)).status_code == 201


async def test_a_replay_is_answered_even_when_the_queue_is_full(server: Server) -> None:
    await server.node()
    limit(server, 1)
    headers = {"Idempotency-Key": "k"}
    answers = [await server.admin.post("/api/v1/jobs", json=ONE_SIZE, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json()["id"] == answers[1].json()["id"]
