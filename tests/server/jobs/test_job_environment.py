"""The environment variables of a job: who takes them, who sees them, and what they set apart."""

from typing import Any

from sqlalchemy import select
from tests.server.conftest import ONE_SIZE, FakeAgent, Server
from tests.server.results.test_compare_jobs import BOTH, a_run, compare
from tests.server.results.test_tuning import rows, run_job, tuning_of

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.judging.mode import mode_of
from ringscope_server.db.models import Job
from ringscope_server.results.comparable import comparable_runs

SECRET = "hf_do_not_show"
RING = {"NCCL_ALGO": "Ring"}
NIGHTLY = {"name": "nightly", "cron": "30 2 * * *"}


async def taking(server: Server, name: str, *patterns: str, slots: int = 4) -> FakeAgent:
    agent = await server.node(name, slots=slots)
    await agent.register(inventory=agent.introduction()["inventory"] | {"allow_env": list(patterns)})
    return agent


async def refused(server: Server, **spec: Any) -> dict[str, str]:
    response = await server.admin.post("/api/v1/jobs", json=ONE_SIZE | spec)
    assert response.status_code == 422, response.text
    (error,) = response.json()["errors"]
    return dict(error)


async def test_a_name_that_no_node_takes_is_told_before_the_job_queues(server: Server) -> None:
    await taking(server, "n1", "NCCL_*")
    await taking(server, "n2", "UCX_*")
    assert await refused(server, env=RING | {"LD_PRELOAD": "/x.so"}) == {
        "pointer": "/env/LD_PRELOAD",
        "detail": "env.LD_PRELOAD: no node takes this variable; start an agent with --allow-env default --allow-env "
        "LD_PRELOAD, or leave it out.",
    }
    both = await refused(server, env=RING | {"UCX_TLS": "tcp"})
    assert both["pointer"] == "/env"
    assert "no node takes all of NCCL_ALGO, UCX_TLS" in both["detail"]
    wide = await refused(server, env=RING, placement={"ranks": 8})
    assert "the nodes that it may use have 4 slots" in wide["detail"]


async def test_a_job_runs_only_on_nodes_that_take_all_of_its_variables(server: Server) -> None:
    other = await server.node("n1", slots=8)
    agent = await taking(server, "n2", "NCCL_*")
    await server.submit(**ONE_SIZE, env=RING)
    await server.one_pass()
    (assignment,) = await agent.assignments()
    assert assignment["spec"]["env"] == RING
    assert await other.assignments() == []


async def test_a_job_whose_nodes_no_longer_take_its_variables_says_why_it_waits(server: Server) -> None:
    agent = await taking(server, "n1", "NCCL_*")
    job = await server.submit(**ONE_SIZE, env=RING)
    await agent.register()
    await server.one_pass()
    sentence = (await server.job(job["id"]))["pending"]["sentence"]
    assert sentence == (
        "Waits for a node that takes the variables NCCL_ALGO; start an agent with --allow-env default "
        "--allow-env NCCL_ALGO."
    )


async def test_the_value_of_a_secret_reaches_the_node_and_nobody_else(server: Server) -> None:
    agent = await taking(server, "n1", "HF_*")
    job = await server.submit(**ONE_SIZE, env={"HF_TOKEN": SECRET})
    schedule = await server.admin.post(
        "/api/v1/schedules", json=NIGHTLY | {"spec": ONE_SIZE | {"env": job["spec"]["env"]}}
    )
    assert schedule.status_code == 422, "the mark of a secret is no value"
    made = await server.admin.post(
        "/api/v1/schedules", json=NIGHTLY | {"spec": ONE_SIZE | {"env": {"HF_TOKEN": SECRET}}}
    )
    body = {name: made.json()[name] for name in ("name", "cron", "timezone", "overlap", "spec")}
    path = f"/api/v1/schedules/{made.json()['id']}"
    edited = await server.admin.put(path, json=body | {"cron": "30 3 * * *"})
    assert edited.status_code == 200, edited.text
    second = await server.admin.post(f"{path}/run")
    clone = await server.admin.post(f"/api/v1/jobs/{job['id']}/clone", json={"priority": 60})
    for response in (
        made,
        edited,
        second,
        clone,
        *[await server.admin.get(f"/api/v1/{path}") for path in ("jobs", f"jobs/{job['id']}", "schedules", "events")],
    ):
        assert response.status_code < 300, response.text
        assert SECRET not in response.text
    assert (await server.job(job["id"]))["spec"]["env"] == {"HF_TOKEN": "[removed]"}
    for ended in (second, clone, None):
        attempt = await agent.start_next()
        (assignment,) = [one for one in await agent.assignments() if one["attempt_id"] == attempt]
        assert assignment["spec"]["env"] == {"HF_TOKEN": SECRET}
        if ended is not None:
            await agent.report(attempt, "ended", reason="rank_exit")
            await agent.report(attempt, "clean", last_sequence=0)
    mark = await refused(server, env={"HF_TOKEN": "[removed]"})
    assert "[removed] stands for a value that is not shown; give the value" in mark["detail"]


async def test_another_environment_feeds_neither_auto_nor_the_best_values(server: Server) -> None:
    agent = await taking(server, "n1", "NCCL_*")
    plain = await run_job(server, agent, *rows(ring=7.0))
    other = await run_job(server, agent, *rows(ring=5.0), env=RING)
    async with server.services.database.read() as session:
        best = select(Job.id).where(Job.id.in_([plain, other]), Job.busbw_gb_per_s.is_not(None))
        assert [*await session.scalars(best)] == [plain]
        for env, runs in (({}, 1), (RING, 1), ({"NCCL_ALGO": "Tree"}, 0)):
            assert len(await comparable_runs(session, "all_reduce", 2, [2], mode_of(BenchmarkSpec(), env))) == runs
    assert await tuning_of(server, agent) == {("ring", False): {"1024": 7.0}, ("ring", True): {"1024": 7.0}}


async def test_a_comparison_says_which_variables_differ(server: Server) -> None:
    agent = await taking(server, "n1", "NCCL_*")
    plain = await a_run(server, agent, ring=10.0, direct=20.0)
    other = await a_run(server, agent, BOTH | {"env": RING}, ring=9.0, direct=5.0)
    found = (await compare(server, plain, other))["jobs"][1]
    assert found["obstacles"] == []
    assert found["caveats"] == ["Their environment variables differ: NCCL_ALGO is Ring, and not set in the base job."]
