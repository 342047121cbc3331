"""The durations of requests are a histogram on /metrics."""

from fastapi.routing import iter_route_contexts
from tests.server.conftest import Server
from tests.server.metrics_page import key, samples


async def test_the_route_is_a_template_and_never_the_path(server: Server) -> None:
    for job_id in (1, 2, 3):
        await server.admin.get(f"/api/v1/jobs/{job_id}")
    await server.admin.get("/api/v1/jobs/no-number")
    found = await samples(server)
    name, route = "http_request_duration_seconds_count", "/api/v1/jobs/{job_id}"
    assert found[key(name, method="GET", route=route, code="404")] == 3
    assert found[key(name, method="GET", route=route, code="422")] == 1
    assert found[key("http_request_duration_seconds_bucket", method="GET", route=route, code="404", le="+Inf")] == 3


async def test_what_strangers_make_up_makes_no_series(server: Server) -> None:
    for number in range(20):
        await server.client().request(f"VERB{number}", f"/nowhere/{number}")
        await server.client().get(f"/api/v1/nothing-{number}")
    labels = {labels for name, labels in await samples(server) if name == "ringscope_http_request_duration_seconds_sum"}
    routes = {dict(found)["route"] for found in labels}
    assert routes <= {context.path for context in iter_route_contexts(server.api.routes)} | {"none"}
    assert {dict(found)["method"] for found in labels} <= {"GET", "other"}
    assert len(labels) < 10
