"""/metrics, discovery and health."""

import asyncio
import shutil
from asyncio.subprocess import PIPE, STDOUT

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.server.conftest import ONE_SIZE, Clock, Server


async def samples(server: Server) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    page = (await server.admin.get("/metrics")).text
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }


def key(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return f"ringscope_{name}", frozenset(labels.items())


async def test_jobs_are_counted_by_state_and_every_pair_is_there(server: Server) -> None:
    agent = await server.node()
    await server.one_pass()
    assert (await samples(server))[key("jobs", kind="benchmark", state="running")] == 0
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await server.one_pass()
    found = await samples(server)
    assert found[key("jobs", kind="benchmark", state="running")] == 1
    assert found[key("jobs_submitted_total", kind="benchmark")] == 1
    facts = {"job_id": str(job["id"]), "kind": "benchmark", "op": "all_reduce", "world_size": "2", "user": "admin"}
    assert found[key("job_info", **facts)] == 1
    await agent.report(attempt, "ended", reason="rank_exit", message="x")
    await agent.report(attempt, "clean")
    await server.one_pass()
    found = await samples(server)
    assert found[key("jobs_finished_total", kind="benchmark", outcome="failed")] == 1
    assert key("job_info", **facts) not in found


async def test_lost_nodes_stay_listed_and_are_down(server: Server, clock: Clock) -> None:
    await server.node("n1")
    clock.advance(100)
    await server.one_pass()
    response = await server.admin.get("/api/v1/prometheus/targets")
    assert response.json() == [{"targets": ["n1:9465"], "labels": {"node": "n1"}}]
    assert response.headers["x-prometheus-refresh-interval-seconds"] == "5"
    assert (await samples(server))[key("node_up", node="n1")] == 0


async def test_before_the_nodes_are_read_discovery_answers_503_and_not_an_empty_list(server: Server) -> None:
    assert (await server.admin.get("/api/v1/prometheus/targets")).status_code == 503
    assert (await server.admin.get("/readyz")).status_code == 503
    assert (await server.admin.get("/healthz")).status_code == 200
    await server.one_pass()
    assert (await server.admin.get("/api/v1/prometheus/targets")).json() == []
    assert (await server.admin.get("/readyz")).status_code == 200


async def test_the_page_answers_while_the_database_is_locked(server: Server) -> None:
    await server.one_pass()
    async with server.services.database.write():
        assert (await server.admin.get("/metrics")).status_code == 200


async def test_openmetrics_is_given_to_those_who_ask(server: Server) -> None:
    page = await server.admin.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert page.headers["content-type"].startswith("application/openmetrics-text")
    assert page.text.endswith("# EOF\n")


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is missing")
async def test_promtool_finds_nothing_to_say(server: Server) -> None:
    await server.node()
    await server.submit(**ONE_SIZE)
    await server.one_pass()
    page = (await server.admin.get("/metrics")).content
    promtool = await asyncio.create_subprocess_exec(
        "promtool", "check", "metrics", stdin=PIPE, stdout=PIPE, stderr=STDOUT
    )
    said, _ = await promtool.communicate(page)
    assert (promtool.returncode, said) == (0, b"")
