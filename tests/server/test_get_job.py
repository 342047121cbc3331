"""GET /jobs/{id} and what hangs below it."""

import pytest
from tests.server.conftest import Server


@pytest.mark.parametrize("path", ["", "/measurements", "/steps", "/log", "/events", "/cancel"])
async def test_an_unknown_job_is_a_404(server: Server, path: str) -> None:
    call = server.admin.post if path == "/cancel" else server.admin.get
    response = await call(f"/api/v1/jobs/77{path}")
    assert (response.status_code, response.json()["detail"]) == (404, "There is no job 77.")
