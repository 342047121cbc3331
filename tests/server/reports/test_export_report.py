"""GET /jobs/{id}/report: the file that `ringscope report` writes, and that its verification accepts."""

from tests.server.conftest import Server
from tests.server.imports.test_create_imports import stored
from tests.server.imports.test_get_judgement import rows
from tests.server.results.test_list_links import run_pair
from tests.server.results.test_tuning import run_job

from ringscope.report.verify import verify


async def report(server: Server, job_id: int) -> str:
    response = await server.admin.get(f"/api/v1/jobs/{job_id}/report")
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["content-disposition"] == f'attachment; filename="ringscope-job-{job_id}-report.html"'
    return response.text


async def test_that_of_an_imported_job_has_its_rows_and_verifies(server: Server) -> None:
    page = await report(server, (await stored(server))["id"])
    found, differences = verify(page)
    assert differences == []
    (job,) = found.jobs
    assert (job.kind, len(job.rows), job.judgement and job.judgement["word"]) == ("imported", 12, "as expected")
    assert job.disturbed == ["Another tool measured it elsewhere; it counts for nothing here."]
    assert page.count("<script") == 1


async def test_that_of_a_benchmark_is_judged_by_its_own_runs(server: Server) -> None:
    node = await server.node()
    for _ in range(3):
        await run_job(server, node, *rows(10.0))
    found, differences = verify(await report(server, await run_job(server, node, *rows(20.0))))
    assert differences == []
    (job,) = found.jobs
    assert (job.nodes, job.judgement and job.judgement["word"]) == (["n1"], "low by 50 %")
    assert found.unused_nodes == []


async def test_one_without_rows_says_so_and_names_the_nodes_that_were_not_used(server: Server) -> None:
    await server.node()
    waiting = await server.submit(benchmark={"max_bytes": 8})
    page = await report(server, waiting["id"])
    assert "Nothing was measured." in page
    assert verify(page)[1] == []


async def test_that_of_several_nodes_has_the_measured_links_between_them(server: Server) -> None:
    agents = [await server.node("n1", slots=1), await server.node("n2", slots=1)]
    found, differences = verify(await report(server, await run_pair(server, agents, 5.0)))
    assert differences == []
    assert [(link.nodes, link.busbw_gb_per_s) for link in found.links] == [(("n1", "n2"), 5.0)]


async def test_what_is_no_benchmark_or_no_job_has_none(server: Server) -> None:
    await server.node()
    training = await server.submit(kind="training", training={"all_reduce": "ring"}, placement={"ranks": 2})
    refused = await server.admin.get(f"/api/v1/jobs/{training['id']}/report")
    assert (refused.status_code, refused.json()["code"]) == (409, "no_benchmark")
    assert (await server.admin.get("/api/v1/jobs/999/report")).status_code == 404
