"""GET /jobs/{id}/fit."""

from typing import Any

import pytest
from tests.server.conftest import FakeAgent, Server, measurement

from ringscope.contracts.cluster import ClusterSpec
from ringscope.cost.timeline import simulate
from ringscope.schedules.algorithms import build

SWEEP = {"benchmark": {"algorithms": ["ring", "recursive_doubling", "mpi"], "min_bytes": 1024, "max_bytes": 1 << 24}}
LINKS = {"shape": "4", "link": "2GB/s", "latency_us": 3, "reduce_gb_per_s": 8}


def rows(links: dict[str, Any] = LINKS) -> list[dict[str, Any]]:
    """Return the rows that a machine exactly like the model measures."""
    topology = ClusterSpec.model_validate(links).topology
    found = []
    for algorithm in ("ring", "recursive_doubling"):
        for size in (1024, 4096, 65_536, 1 << 20, 1 << 24):
            time_us = simulate(build(algorithm, 4, size // 4), 4, topology).seconds * 1e6
            found.append(measurement(algorithm, size, ranks=4, transport="mpi", time_us=time_us, p50_us=time_us))
    return found


async def measured(server: Server, agent: FakeAgent, records: list[dict[str, Any]], **more: Any) -> int:
    """A job with these rows."""
    job_id: int = (await server.submit(**SWEEP | {"placement": {"ranks": 4}} | more))["id"]
    attempt_id, agent.sequence = await agent.start_next(), 0
    if records:
        await agent.records(attempt_id, *records)
    return job_id


async def refusal(server: Server, job_id: int) -> str:
    response = await server.admin.get(f"/api/v1/jobs/{job_id}/fit")
    assert (response.status_code, response.json()["code"]) == (409, "no_fit"), response.text
    detail: str = response.json()["detail"]
    return detail


async def test_it_finds_the_links_that_the_rows_come_from(server: Server) -> None:
    job_id = await measured(server, await server.node(), rows())
    found = (await server.admin.get(f"/api/v1/jobs/{job_id}/fit")).json()
    (regime,) = found["regimes"]
    assert regime["latency_s"] == pytest.approx(3e-6)
    assert regime["send_s_per_byte"] == pytest.approx(1 / 2e9)
    assert regime["reduce_s_per_byte"] == pytest.approx(1 / 8e9)
    assert (found["job_id"], found["ranks"], found["row_count"], found["left_out"]) == (job_id, 4, 10, [])
    assert found["transport"] == "mpi"
    assert [residual["log_ratio"] for residual in found["residuals"]] == pytest.approx([0] * 10, abs=1e-6)


async def test_the_planner_takes_its_parameters(server: Server) -> None:
    job_id = await measured(server, await server.node(), rows())
    regimes = (await server.admin.get(f"/api/v1/jobs/{job_id}/fit")).json()["regimes"]
    question = {"cluster": {"shape": "4"}, "algorithms": ["ring"], "sizes_bytes": [1 << 22]}
    fitted = (await server.admin.post("/api/v1/plan", json=question | {"parameters": regimes})).json()
    known = (await server.admin.post("/api/v1/plan", json=question | {"cluster": LINKS})).json()
    price, same = (answer["cells"][0]["results"][0]["time_s"] for answer in (fitted, known))
    assert price == pytest.approx(same)


async def test_rows_of_libraries_are_left_out_and_named(server: Server) -> None:
    library = measurement("mpi", 2048, ranks=4, transport="mpi")
    job_id = await measured(server, await server.node(), [*rows(), library])
    assert (await server.admin.get(f"/api/v1/jobs/{job_id}/fit")).json()["left_out"] == ["mpi"]


async def test_what_makes_the_rows_doubtful_is_told(server: Server) -> None:
    agent = await server.node(slots=8)
    running = await measured(server, agent, rows())
    clean = (await server.admin.get(f"/api/v1/jobs/{running}/fit")).json()
    assert clean["caveats"] == ["The job has not succeeded: it has not ended yet."]
    crowded = [row | {"cores": 2} for row in rows()]
    crowded[0]["wrong"] = 3
    failed = await measured(server, agent, crowded)
    attempt = (await agent.assignments())[-1]["attempt_id"]
    load = {"machine": "", "processors": 2, "seconds": 10.0, "busy_seconds": 10.0, "own_seconds": 0.0}
    await agent.report(attempt, "ended", reason="rank_exit", load=load)
    await agent.report(attempt, "clean", last_sequence=len(crowded))
    assert (await server.admin.get(f"/api/v1/jobs/{failed}/fit")).json()["caveats"] == [
        "The job has not succeeded: it ended as rank_exit.",
        "3 elements of its rows were wrong.",
        "4 ranks on 2 cores: the ranks shared cores, which affects every time.",
        (await server.job(failed))["attempts"][0]["disturbed_by"],
    ]


async def test_jobs_that_tell_nothing_say_why(server: Server) -> None:
    agent = await server.node(slots=8)
    assert "no row has an algorithm with a schedule" in await refusal(server, await measured(server, agent, []))
    one = [measurement("ring", 1024, ranks=4)]
    assert "a fit needs 3 different sizes" in await refusal(server, await measured(server, agent, one))
    asked = {"benchmark": SWEEP["benchmark"] | {"channels": 2}, "placement": {"ranks": 4, "nodes": 1}}
    in_two = "it asked for 2 channels; use a run with the default number."
    assert in_two in await refusal(server, await measured(server, agent, rows(), **asked))
    training = await server.submit(kind="training", placement={"ranks": 2})
    assert "a job of kind training measures no rows" in await refusal(server, training["id"])
    assert (await server.admin.get("/api/v1/jobs/99/fit")).status_code == 404


async def test_a_fit_that_would_take_minutes_is_left_to_the_command(server: Server) -> None:
    many = [measurement("ring", 1024 << i, ranks=128, transport="mpi") for i in range(8)]
    job_id = await measured(server, await server.node(slots=128), many, placement={"ranks": 128})
    detail = await refusal(server, job_id)
    assert "run `ringscope fit --job 1` instead" in detail
