"""A gang's reason to end comes from its nodes' reports; a report of a node that knows the cause replaces others."""

import pytest
from tests.server.attempts.test_gangs import two_nodes
from tests.server.conftest import Server

from ringscope_server.jobs.reasons import REASONS


async def test_a_node_that_has_nothing_left_of_a_running_job_has_ended_it(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    for event in ("ready", "running"):
        for agent in (first, second):
            await agent.report(attempt, event)
    await second.report(attempt, "clean")
    job = await server.job(job_id)
    assert (job["state"], job["reason"]) == ("stopping", "rank_exit")
    assert job["message"] == "Node n2 has nothing of it left and did not say how it ended."
    await first.report(attempt, "clean")
    assert (await server.job(job_id))["state"] == "failed"


@pytest.mark.parametrize("reason", [each.name for each in REASONS if each.is_servers])
async def test_what_only_people_and_the_server_know_no_node_can_say(server: Server, reason: str) -> None:
    node = await server.node()
    job = await server.submit(max_attempts=3)
    attempt = await node.start_next()
    await node.report(attempt, "ended", reason=reason, message="They were gone.")
    await node.report(attempt, "clean")
    ended = await server.job(job["id"])
    assert (ended["state"], ended["reason"], ended["message"]) == ("failed", "rank_exit", "They were gone.")


async def test_a_reason_that_nobody_knows_is_part_of_the_message(server: Server) -> None:
    node = await server.node()
    job = await server.submit()
    attempt = await node.start_next()
    await node.report(attempt, "ended", reason="banana\n" * 100, message="They were gone.")
    await node.report(attempt, "clean")
    ended = await server.job(job["id"])
    assert (ended["state"], ended["reason"]) == ("failed", "rank_exit")
    word = ("banana\n" * 15)[:99] + "…"
    assert ended["message"] == f"The reason {word!r} is unknown to this server. They were gone."


@pytest.mark.parametrize(
    "odd", [{"control_host": "n" * 4_000_000}, {"control_port": 2**16}, {"proxy_id": 2**63}], ids=["host", "port", "id"]
)
async def test_a_proxy_that_cannot_be_is_refused_and_told_to_nobody(server: Server, odd: dict[str, object]) -> None:
    first, second, _, attempt = await two_nodes(server)
    proxy = {"control_host": "n1", "control_port": 5000, "proxy_id": 0}
    answer = await first.report(attempt, "proxies", proxies=[proxy, proxy | odd])
    assert answer.status_code == 422
    assert [assigned["proxy"] for assigned in await second.assignments()] == [None]


async def test_a_refusal_fails_the_job_with_the_nodes_own_words(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    await second.report(attempt, "refused", message="mpi4py is missing.")
    await first.report(attempt, "clean")
    await second.report(attempt, "clean")
    job = await server.job(job_id)
    assert (job["reason"], job["message"]) == ("launch_failed", "Node n2 cannot run it: mpi4py is missing.")


async def test_the_first_reason_stays(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    await second.report(attempt, "ended", reason="rank_signal", message="Rank 3 on n2 was killed by signal 9.")
    await first.report(attempt, "ended", reason="rank_exit", message="mpiexec ended.")
    assert (await server.job(job_id))["reason"] == "rank_signal"


async def test_who_knows_better_corrects_hearsay_that_came_first(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    guess = "Rank 3 on node n2 ended before it had finished its program."
    await second.report(attempt, "ended", reason="rank_exit", rank=3, message=guess, is_hearsay=True)
    assert (await server.job(job_id))["message"] == guess
    killed = "Rank 0 on node n1 was killed by SIGKILL (9)."
    await first.report(attempt, "ended", reason="rank_signal", rank=0, message=killed)
    for agent in (second, first):
        await agent.report(attempt, "clean")
    job = await server.job(job_id)
    assert (job["state"], job["reason"], job["message"]) == ("failed", "rank_signal", killed)
    assert job["attempts"][0]["bad_rank"] == 0


@pytest.mark.parametrize(
    ("reason", "is_hearsay"), [("rank_exit", True), ("completed", False), ("agent_restarted", False)]
)
async def test_hearsay_stays_when_nobody_knows_better(server: Server, reason: str, is_hearsay: bool) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    await second.report(attempt, "ended", reason="rank_exit", message="The first word.", is_hearsay=True)
    await first.report(attempt, "ended", reason=reason, message="Another word.", is_hearsay=is_hearsay)
    assert (await server.job(job_id))["message"] == "The first word."


async def test_a_cancelled_job_stays_cancelled_whoever_knows_how_its_ranks_ended(server: Server) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    await second.report(attempt, "ended", reason="rank_exit", message="The first word.", is_hearsay=True)
    await server.admin.post(f"/api/v1/jobs/{job_id}/cancel")
    await first.report(attempt, "ended", reason="rank_signal", rank=0, message="Another word.")
    assert (await server.job(job_id))["reason"] == "user_cancelled"


@pytest.mark.parametrize(
    ("reason", "told", "message"),
    [
        ("rank_signal", None, "Ranks 2 and 3 on node n2 were killed by SIGKILL (9)."),
        ("rank_exit", 2, "Rank 1 lost rank 2 in step 4."),
    ],
)
async def test_the_node_of_the_ranks_knows_best_which_of_them_went_first(
    server: Server, reason: str, told: int | None, message: str
) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    await first.report(attempt, "ended", reason=reason, rank=told, message=message)
    assert (await server.job(job_id))["attempts"][0]["bad_rank"] == told
    ended = "Rank 3 on node n2 ended before it had finished its program."
    for _ in range(2):  # a report may come twice
        await second.report(attempt, "ended", reason="rank_exit", rank=3, message=ended)
    for agent in (first, second):
        await agent.report(attempt, "clean")
    job = await server.job(job_id)
    assert (job["state"], job["reason"], job["message"]) == ("failed", reason, f"{ended} {message}")
    assert job["attempts"][0]["bad_rank"] == 3


@pytest.mark.parametrize(
    ("reason", "told", "rank"),
    [("rank_signal", 2, 3), ("rank_exit", 2, 1), ("rank_exit", 2, None), ("rank_exit", None, 3), ("oom", 2, 3)],
)
async def test_whoever_knows_it_better_already_is_not_corrected(
    server: Server, reason: str, told: int | None, rank: int | None
) -> None:
    first, second, job_id, attempt = await two_nodes(server)
    await first.report(attempt, "ended", reason=reason, rank=told, message="The first word.")
    await second.report(attempt, "ended", reason="rank_exit", rank=rank, message="Another word.")
    job = await server.job(job_id)
    assert (job["reason"], job["message"]) == (reason, "The first word.")
    assert job["attempts"][0]["bad_rank"] == told
