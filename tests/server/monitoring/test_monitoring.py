"""/metrics, discovery and health."""

import asyncio
import shutil
import time
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from prometheus_client.core import Metric
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server, measurement, steps
from tests.server.diagnoses.test_blamed import diagnosed
from tests.server.diagnoses.test_get_diagnosis import NODES
from tests.server.metrics_page import key, run_sweep, samples

from ringscope.contracts.metrics.collector import COLLECTOR
from ringscope.contracts.metrics.server import SERVER
from ringscope_server.monitoring.collector import ServerCollector

ROWS = [measurement(in_place=False), measurement(in_place=True)]


async def test_jobs_are_counted_by_state_and_every_pair_is_there(server: Server, clock: Clock) -> None:
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
    facts |= {"name": (await server.job(int(facts["job_id"])))["name"], "algorithms": "ring", "schedule": ""}
    assert found[key("job_info", **facts)] == 1
    await agent.report(attempt, "ended", reason="rank_exit", message="x")
    await agent.report(attempt, "clean")
    await server.one_pass()
    found = await samples(server)
    assert found[key("jobs_finished_total", kind="benchmark", outcome="failed")] == 1
    assert found[key("job_state", job_id=str(job["id"]), state="failed")] == 1, "its last state is seen by a scrape"
    assert found[key("job_state", job_id=str(job["id"]), state="running")] == 0
    clock.advance(5)
    await server.one_pass()
    assert not any(("job_id", str(job["id"])) in labels for _, labels in await samples(server))


async def test_lost_nodes_stay_listed_and_are_down(server: Server, clock: Clock) -> None:
    await server.node("n1")
    clock.advance(100)
    await server.one_pass()
    response = await server.admin.get("/api/v1/prometheus/targets")
    assert response.json() == [{"targets": ["n1:9465"], "labels": {"node": "n1", "cluster": "ringscope"}}]
    assert response.headers["x-prometheus-refresh-interval-seconds"] == "5"
    assert (await samples(server))[key("node_up", node="n1")] == 0


async def test_before_the_nodes_are_read_discovery_answers_503_and_not_an_empty_list(server: Server) -> None:
    assert (await server.admin.get("/api/v1/prometheus/targets")).status_code == 503
    assert (await server.admin.get("/readyz")).status_code == 503
    assert (await server.admin.get("/healthz")).status_code == 200
    await server.one_pass()
    assert (await server.admin.get("/api/v1/prometheus/targets")).json() == []
    assert (await server.admin.get("/readyz")).status_code == 200


async def test_waits_and_durations_are_told_of_jobs_that_started(server: Server, clock: Clock) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    clock.advance(7)
    await agent.register()
    attempt = await agent.start_next()
    clock.advance(3)
    await agent.report(attempt, "running")  # a second time: it started once
    await agent.report(attempt, "ended", reason="rank_exit", message="x")
    await agent.report(attempt, "clean")
    withdrawn = await server.submit(**ONE_SIZE)
    await server.admin.post(f"/api/v1/jobs/{withdrawn['id']}/cancel")
    found = await samples(server)
    assert found[key("queue_wait_seconds_count", kind="benchmark")] == 1
    assert found[key("queue_wait_seconds_sum", kind="benchmark")] == 7
    assert found[key("job_duration_seconds_sum", kind="benchmark", outcome="failed")] == 3
    assert found[key("job_duration_seconds_count", kind="benchmark", outcome="cancelled")] == 0, "it never ran"
    assert found[key("jobs_finished_total", kind="benchmark", outcome="cancelled")] == 1
    assert job["id"] != withdrawn["id"]


async def test_blocks_of_steps_tell_how_late_their_rows_are(server: Server, clock: Clock) -> None:
    agent = await server.node()
    await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    clock.advance(2)
    slow = steps()
    slow["start_ns"][0] -= 60 * 10**9  # a block of a minute is no minute late
    await agent.records(attempt, slow, steps(first_step=3) | {"transport": "simulated"}, {"type": "nonsense"})
    found = await samples(server)
    assert found[key("ingest_delay_seconds_count")] == 1, "what is simulated has no end"
    assert found[key("ingest_delay_seconds_sum")] == pytest.approx(2, abs=0.001)
    assert found[key("ingest_records_total", kind="steps")] == 6
    assert found[key("ingest_rejected_total", reason="malformed")] == 1


async def test_a_training_jobs_loss_is_that_of_its_last_step_on_rank_0(server: Server, clock: Clock) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await server.one_pass()
    loss = key("training_loss", job_id=str(job["id"]))
    assert loss not in await samples(server)
    await agent.records(attempt, steps(0) | {"loss": [3.0, 2.0, 1.5]}, steps(1) | {"loss": [9.0, 9.0, 9.0]})
    assert (await samples(server))[loss] == 1.5
    await agent.report(attempt, "ended", reason="rank_exit", message="x")
    await agent.report(attempt, "clean")
    for _ in range(2):
        await server.one_pass()
        clock.advance(5)
    await server.one_pass()
    assert loss not in await samples(server)


async def test_goodput_is_the_share_of_time_in_steps(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await server.one_pass()
    goodput = key("job_goodput_ratio", job_id=str(job["id"]))
    assert goodput not in await samples(server)
    second = 10**9

    def told(rank: int, *starts_s: int) -> dict[str, object]:
        """Steps of a second each."""
        begins = [steps()["start_ns"][0] + start * second for start in starts_s]
        return steps(rank, count=len(begins)) | {"start_ns": begins, "duration_us": [1e6] * len(begins)}

    await agent.records(attempt, told(0, 0, 1), told(1, 0, 3))
    assert (await samples(server))[goodput] == pytest.approx((2 / 2 + 2 / 4) / 2)
    await agent.records(attempt, told(0, 9), told(1, 9) | {"transport": "simulated"})
    assert (await samples(server))[goodput] == pytest.approx((3 / 10 + 2 / 4) / 2)


async def test_nodes_gpus_and_slots_are_counted_by_state(server: Server) -> None:
    gpu = {"uuid": "u", "model": "NVIDIA H200", "memory_bytes": 1}
    inventory = {"hostname": "n2", "os": "Linux", "cpu_model": "x", "cores": 2, "memory_bytes": 1}
    busy = await server.node("n1")
    await busy.register(inventory=inventory | {"gpus": [gpu | {"index": index} for index in range(4)]})
    drained = await server.node("n2", slots=2)
    await drained.register(slots=2, inventory=inventory | {"gpus": [gpu | {"index": index} for index in range(2)]})
    await server.admin.post("/api/v1/nodes/n2/drain", json={"reason": "new cables"})
    await server.submit(**ONE_SIZE)
    await server.one_pass()
    await server.one_pass()
    found = await samples(server)
    assert {name: found[key("nodes", state=name)] for name in ("ready", "busy", "draining", "lost")} == {
        "ready": 0, "busy": 1, "draining": 1, "lost": 0,
    }  # fmt: skip
    for family in ("gpus", "slots"):
        states = {name: found[key(family, state=name)] for name in ("free", "allocated", "drained", "unhealthy")}
        assert states == {"free": 2, "allocated": 2, "drained": 2, "unhealthy": 0}, family
    await busy.register(inventory=inventory | {"gpus": [gpu | {"index": index} for index in range(3)]})
    await server.one_pass()
    assert (await samples(server))[key("gpus", state="unhealthy")] == 1, "it had four"


async def test_the_page_answers_while_the_database_is_locked(server: Server) -> None:
    await server.one_pass()
    async with server.services.database.write():
        assert (await server.admin.get("/metrics")).status_code == 200


async def test_the_page_answers_while_the_database_answers_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = await server.node()
    await server.one_pass()
    assert (await server.admin.get("/metrics")).status_code == 200

    @asynccontextmanager
    async def hang() -> AsyncIterator[None]:
        await asyncio.Event().wait()
        yield

    monkeypatch.setattr(server.services.database, "read", hang)
    monkeypatch.setattr(server.services.token_cache, "_monotonic", lambda: time.monotonic() + 60)
    async with asyncio.timeout(60):
        page = await server.admin.get("/metrics")
        targets = await server.admin.get("/api/v1/prometheus/targets")
    assert (page.status_code, targets.status_code) == (200, 200)
    assert agent.name in targets.text
    assert (await server.client("rs_wrong").get("/healthz")).status_code == 200


async def test_a_fault_costs_a_part_of_the_page_and_is_counted(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    await server.one_pass()
    monkeypatch.setattr(server.services.monitoring, "nodes", (None,))
    found = await samples(server)
    assert key("node_up", node="n1") not in found
    assert found[key("jobs", kind="benchmark", state="queued")] == 0
    assert found[key("collector_errors_total")] == 1
    assert found[key("collector_duration_seconds")] >= 0


async def test_the_page_and_the_table_have_the_same_metrics(server: Server, clock: Clock) -> None:
    agent = await full_server(server, clock)
    collector = ServerCollector(server.services.monitoring, server.services.stream)
    exported = dict(map(shape, collector.collect()))
    declared = {family.name: set(family.labels) for family in (*SERVER.families, *COLLECTOR.families)}
    assert exported == declared
    assert agent.sequence > 0


async def full_server(server: Server, clock: Clock) -> FakeAgent:
    """A server whose page has every metric: a blame, earlier jobs, one that runs, and one that waits."""
    await diagnosed(server, is_scheduled=False)
    for name in NODES:
        (await server.admin.post(f"/api/v1/nodes/{name}/drain", json={"reason": "diagnosed"})).raise_for_status()
    agent = await server.node("n4")
    await server.one_pass()
    for _ in range(3):
        await run_sweep(server, agent, ROWS, **ONE_SIZE)
    await server.submit(**ONE_SIZE)
    await server.submit(**ONE_SIZE | {"placement": {"ranks": 4}})
    attempt = await agent.start_next()
    agent.sequence = 0
    await server.one_pass()
    await agent.records(attempt, *ROWS, steps() | {"loss": [3.0, 2.0, 1.0]})
    clock.advance(1)
    await server.one_pass()
    server.services.background_tasks.begin()  # which only a server does that does them by itself
    return agent


def shape(family: Metric) -> tuple[str, set[str]]:
    """Name and labels, as the series of a family have them."""
    suffix = "_total" if family.type == "counter" else ""
    (labels,) = {frozenset(sample.labels) - {"le"} for sample in family.samples}
    return family.name + suffix, set(labels)


async def test_openmetrics_is_given_to_those_who_ask(server: Server) -> None:
    page = await server.admin.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert page.headers["content-type"].startswith("application/openmetrics-text")
    assert page.text.endswith("# EOF\n")


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is missing")
async def test_promtool_finds_nothing_to_say(server: Server, clock: Clock) -> None:
    await full_server(server, clock)
    page = (await server.admin.get("/metrics")).content
    promtool = await asyncio.create_subprocess_exec(
        "promtool", "check", "metrics", stdin=PIPE, stdout=PIPE, stderr=STDOUT
    )
    said, _ = await promtool.communicate(page)
    assert (promtool.returncode, said) == (0, b"")
