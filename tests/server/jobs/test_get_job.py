"""GET /jobs/{id} and what hangs below it."""

from tests.server.conftest import Server

PATHS: list[str] = ["", "/measurements", "/steps", "/log", "/events", "/cancel"]


async def test_an_unknown_job_is_a_404(server: Server) -> None:
    for path in PATHS:
        call = server.admin.post if path == "/cancel" else server.admin.get
        response = await call(f"/api/v1/jobs/77{path}")
        assert (response.status_code, response.json()["detail"]) == (404, "There is no job 77.")
