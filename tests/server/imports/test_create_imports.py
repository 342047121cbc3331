"""POST /imports: results of other tools as jobs."""

from pathlib import Path
from typing import Any

from sqlalchemy import func, select
from tests.expected.runs import HELD_OUT
from tests.imports.published import one
from tests.server.conftest import Server

from ringscope.contracts.job import JobSpec
from ringscope.imports.lines import MOST_BYTES
from ringscope_server.db.models import Attempt, ImportedFile, Measurement
from ringscope_server.results.tuning import known_times

PATH = "/api/v1/imports"
INSPECTOR = Path(__file__).parents[2] / "nccl_inspector" / "foreign" / "v4_1_verbose_proxy.jsonl"
H100 = (HELD_OUT / "h100_1_node.txt").read_text()


def file(name: str, content: str) -> dict[str, str]:
    return {"name": name, "content": content}


async def store(server: Server, *files: dict[str, str], **facts: Any) -> list[dict[str, Any]]:
    response = await server.admin.post(PATH, json={"files": files, **facts})
    assert response.status_code in (200, 201), response.text
    found: list[dict[str, Any]] = response.json()["files"]
    return found


async def stored(server: Server, content: str = H100, **facts: Any) -> dict[str, Any]:
    """The only job of a file."""
    ((one_file),) = await store(server, file("h100.log", content), **facts)
    ((imported),) = one_file["jobs"]
    job: dict[str, Any] = imported["job"]
    return job


async def listed(server: Server, path: str, **query: Any) -> list[dict[str, Any]]:
    response = await server.admin.get(f"/api/v1{path}", params=query)
    assert response.status_code == 200, response.text
    items: list[dict[str, Any]] = response.json()["items"]
    return items


async def test_each_table_is_a_job_with_its_rows_and_judgement(server: Server) -> None:
    several = one("alltoall_then_sendrecv_double").content.decode()
    single, double = await store(server, file("/home/ada/h100.log", H100), file("two.log", several), gpu="H100")
    ((imported),) = single["jobs"]
    job, judgement = imported["job"], imported["judgement"]
    assert (single["path"], single["is_new"], job["kind"], job["state"]) == ("h100.log", True, "imported", "succeeded")
    assert (job["ranks"], job["attempts"], job["progress"]["done"]) == (8, [], job["progress"]["total"])
    assert judgement["word"] == "as expected"
    assert job["spec"]["imported"]["gpu"] == "H100"
    rows = await listed(server, f"/jobs/{job['id']}/measurements")
    assert len(rows) == 12
    assert rows[0]["busbw_gb_per_s"] == 382.99
    assert {row["iterations"] for row in rows} == {1}
    assert [each["job"]["kind"] for each in double["jobs"]] == ["imported", "imported"]
    assert [found["id"] for found in await listed(server, "/jobs", kind="imported", collective="all_reduce")] == [
        job["id"]
    ]
    assert [event["action"] for event in await listed(server, f"/jobs/{job['id']}/events")] == ["job.imported"]


async def test_each_communicator_of_nccl_inspector_is_a_job(server: Server) -> None:
    ((records),) = await store(server, file("node1.log", INSPECTOR.read_text()))
    jobs = [each["job"] for each in records["jobs"]]
    assert [(job["state"], job["ranks"], job["spec"]["benchmark"]["collective"]) for job in jobs] == [
        ("succeeded", 8, "all_reduce"),
        ("succeeded", 8, "reduce_scatter"),
    ]
    assert jobs[0]["message"] == "Communicator 0x7f8c496ae9f661."
    assert jobs[0]["spec"]["imported"]["tool"] == "nccl-inspector"
    (row,) = await listed(server, f"/jobs/{jobs[1]['id']}/measurements")
    assert (row["busbw_gb_per_s"], row["size_bytes"]) == (366.134533, 1 << 34)


async def test_all_files_are_stored_or_none(server: Server) -> None:
    crashed = file("crash.log", one("crash_devices_busy").content.decode())
    response = await server.admin.post(PATH, json={"files": [file("h100.log", H100), crashed]})
    assert response.status_code == 422
    ((error),) = response.json()["errors"]
    assert error["pointer"] == "/files/1/content"
    assert error["detail"].startswith("crash.log: Line 14: the run crashed before its first row")
    assert await listed(server, "/jobs") == []
    too_large = await server.admin.post(PATH, json={"files": [file("huge", "#" * (MOST_BYTES + 1))]})
    assert (too_large.status_code, "at most 8 MiB" in too_large.json()["detail"]) == (413, True)
    assert (await (await server.person("viewer")).post(PATH, json={"files": [file("a", H100)]})).status_code == 403


async def test_the_same_file_with_the_same_facts_makes_its_jobs_once(server: Server) -> None:
    first = await stored(server)
    ((again),) = await store(server, file("renamed.log", H100))
    assert (again["is_new"], again["jobs"][0]["job"]["id"]) == (False, first["id"])
    corrected = await stored(server, gpu="H200")
    assert corrected["id"] != first["id"]
    async with server.services.database.read() as session:
        assert await session.scalar(select(func.count()).select_from(ImportedFile)) == 1


async def test_the_text_is_kept_without_secrets(server: Server) -> None:
    job = await stored(server, f"export API_TOKEN=hunter2hunter2\n{H100}")
    text = (await server.admin.get(f"/api/v1/jobs/{job['id']}/import/text")).text
    assert "hunter2" not in text
    assert "382.99" in text
    detail = (await server.admin.get(f"/api/v1/jobs/{job['id']}/import")).json()
    assert (detail["file"], detail["adopted_at"], len(detail["rows"])) == ("h100.log", None, 12)
    await server.node()
    own = await server.submit(benchmark={"max_bytes": 8})
    assert (await server.admin.get(f"/api/v1/jobs/{own['id']}/import")).status_code == 404


async def test_a_row_that_contradicts_itself_is_kept_and_counts_for_nothing(server: Server) -> None:
    damaged = H100.replace("382.99", "282.99", 1)
    job = await stored(server, damaged)
    imported = job["spec"]["imported"]
    assert (imported["rows"], imported["flagged"]) == (11, 1)
    detail = (await server.admin.get(f"/api/v1/jobs/{job['id']}/import")).json()
    assert [row["busbw_gb_per_s"] for row in detail["rows"] if row["flags"]] == [282.99]
    assert 282.99 not in [row["busbw_gb_per_s"] for row in await listed(server, f"/jobs/{job['id']}/measurements")]


async def test_imported_jobs_are_compared_with_each_other(server: Server) -> None:
    one_job, other = await stored(server), await stored(server, "# again\n" + H100, gpu="H100")
    query = {"job": [one_job["id"], other["id"]]}
    compared = (await server.admin.get("/api/v1/comparison", params=query)).json()["jobs"][1]
    assert compared["obstacles"] == []
    against = [row["against"] for row in compared["rows"]]
    assert {(found["ratio"], found["is_clear"]) for found in against} == {(1.0, False)}
    standing = (await server.admin.get("/api/v1/comparison/standings", params=query)).json()["jobs"][1]
    assert (standing["algorithm"], standing["ratio"], standing["ratio_low"]) == ("nccl", 1.0, None)


async def test_an_imported_job_does_not_run_and_cannot_be_submitted(server: Server) -> None:
    job = await stored(server)
    retried = await server.admin.post(f"/api/v1/jobs/{job['id']}/retry")
    assert (retried.status_code, "results of another tool" in retried.json()["detail"]) == (422, True)
    submitted = await server.admin.post("/api/v1/jobs", json=job["spec"])
    assert (submitted.status_code, submitted.json()["errors"][0]["pointer"]) == (422, "/kind")


async def test_an_imported_job_counts_for_nothing_that_this_cluster_measured(server: Server) -> None:
    """Its rows are in a table of their own, and it has no attempt, by which everything else finds rows."""
    await server.node("n1", slots=8)
    job = await stored(server)
    assert job["spec"]["benchmark"]["collective"] == "all_reduce"
    async with server.services.database.read() as session:
        assert await session.scalar(select(func.count()).select_from(Measurement)) == 0
        assert await session.scalar(select(func.count()).select_from(Attempt)) == 0
        spec = JobSpec.model_validate({"benchmark": {"algorithms": ["auto"]}, "placement": {"ranks": 8}})
        assert (await known_times(session, spec, [8])).curves == ()
    assert await listed(server, "/links") == []
    best = await listed(server, "/jobs", sort="-busbw")
    assert best[0]["id"] == job["id"]  # the only one
    assert (await server.admin.get("/api/v1/comparison/regressions")).json() == {"pairs": 0, "items": []}
    assert (await server.admin.get(f"/api/v1/jobs/{job['id']}/prediction")).json()["baseline"] == []
    metrics = (await server.admin.get("/metrics")).text
    assert "ringscope_benchmark_bus_bandwidth_bytes_per_second{" not in metrics
    assert f'job="{job["id"]}"' not in metrics
