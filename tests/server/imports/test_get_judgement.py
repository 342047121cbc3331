"""GET /jobs/{id}/judgement: benchmarks and imported jobs."""

from typing import Any

from tests.server.conftest import Server, measurement
from tests.server.imports.test_create_imports import stored
from tests.server.results.test_tuning import run_job


def rows(time_us: float) -> list[dict[str, Any]]:
    return [measurement(time_us=time_us, in_place=place) for place in (False, True)]


async def judgement(server: Server, job_id: int) -> dict[str, Any]:
    response = await server.admin.get(f"/api/v1/jobs/{job_id}/judgement")
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def test_an_imported_job_is_judged_by_published_runs(server: Server) -> None:
    found = await judgement(server, (await stored(server))["id"])
    assert found["word"] == "as expected"
    assert {one["kind"] for one in found["references"]} == {"limit", "model", "published"}


async def test_a_benchmark_on_cpus_is_judged_by_earlier_runs_of_its_shape(server: Server) -> None:
    node = await server.node()
    first = await run_job(server, node, *rows(10.0))
    unknown = await judgement(server, first)
    assert (unknown["word"], unknown["missing"]) == ("unknown", ["three earlier runs of the same shape"])
    for _ in range(2):
        await run_job(server, node, *rows(10.0))
    good = await judgement(server, await run_job(server, node, *rows(10.0)))
    assert good["word"] == "as expected"
    assert good["sentence"].startswith("0.1024 GB/s at 1 KiB, where 3 own runs suggest")
    slow = await judgement(server, await run_job(server, node, *rows(20.0)))
    assert slow["word"] == "low by 50 %"
    assert {one["kind"] for one in slow["references"]} == {"baseline"}


async def test_what_has_no_rows_or_is_no_benchmark_is_not_judged(server: Server) -> None:
    await server.node()
    waiting = await server.submit(benchmark={"max_bytes": 8})
    refused = await server.admin.get(f"/api/v1/jobs/{waiting['id']}/judgement")
    assert (refused.status_code, refused.json()["code"]) == (409, "no_rows")
    assert (await server.admin.get("/api/v1/jobs/999/judgement")).status_code == 404
