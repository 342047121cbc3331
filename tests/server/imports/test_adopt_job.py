"""POST /jobs/{id}/adopt and disown: an imported job that counts."""

import pytest
from sqlalchemy import select
from tests.server.conftest import Server
from tests.server.imports.test_create_imports import H100, listed, store, stored

from ringscope_server.db.models import Job

OTHER = "# again\n" + H100


async def busbw(server: Server, job_id: int) -> float | None:
    async with server.services.database.read() as session:
        return await session.scalar(select(Job.busbw_gb_per_s).where(Job.id == job_id))


async def references(server: Server, content: str) -> set[str]:
    """The kinds of references by which a new import is judged."""
    ((found),) = await store(server, {"name": "a.log", "content": content})
    return {one["kind"] for size in found["jobs"][0]["judgement"]["sizes"] for one in size["references"]}


async def test_only_an_adopted_job_counts_as_best_and_as_baseline(server: Server) -> None:
    job = await stored(server)
    assert await busbw(server, job["id"]) is None
    assert "baseline" not in await references(server, OTHER)
    adopted = await server.admin.post(f"/api/v1/jobs/{job['id']}/adopt")
    assert (adopted.status_code, adopted.json()["revision"]) == (200, job["revision"] + 1)
    assert await busbw(server, job["id"]) == pytest.approx(476.53)
    assert "baseline" in await references(server, OTHER)
    assert "baseline" not in await references(server, H100), "a job is no reference for itself"
    await server.admin.post(f"/api/v1/jobs/{job['id']}/adopt")
    await server.admin.post(f"/api/v1/jobs/{job['id']}/disown")
    assert await busbw(server, job["id"]) is None
    assert "baseline" not in await references(server, OTHER)
    actions = [event["action"] for event in await listed(server, f"/jobs/{job['id']}/events")]
    assert actions == ["job.imported", "job.adopted", "job.disowned"]


async def test_what_was_measured_here_needs_no_adoption(server: Server) -> None:
    await server.node()
    own = await server.submit(benchmark={"max_bytes": 8})
    refused = await server.admin.post(f"/api/v1/jobs/{own['id']}/adopt")
    assert (refused.status_code, "was not imported" in refused.json()["detail"]) == (409, True)
    job = await stored(server)
    assert (await (await server.person("viewer")).post(f"/api/v1/jobs/{job['id']}/adopt")).status_code == 403
