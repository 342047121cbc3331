"""The web page as the server gives it out."""

from pathlib import Path

import pytest
from tests.server.conftest import Clock, running_server

from ringscope_server.http import ui


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    built = tmp_path / "dist"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<title>ringscope</title>")
    (built / "assets" / "index-abc123.js").write_text("// the page")
    monkeypatch.setattr(ui, "built_files", lambda: built)
    return built


async def test_every_path_of_the_page_leads_to_it_and_hashed_files_are_kept(tmp_path: Path, page: Path) -> None:
    async with running_server(tmp_path, Clock()) as server:
        browser = server.client()
        for path in ("/", "/jobs/42", "/nodes"):
            answer = await browser.get(path, headers={"Accept": "text/html"})
            assert (answer.status_code, answer.text) == (200, "<title>ringscope</title>")
            assert answer.headers["cache-control"] == "no-cache"
        asset = await browser.get("/assets/index-abc123.js")
        assert asset.headers["cache-control"] == "public, max-age=31536000, immutable"
        gone = await browser.get("/assets/index-old.js")
        assert (gone.status_code, gone.headers["cache-control"]) == (404, "no-cache")


async def test_an_unknown_api_path_is_a_problem_and_not_the_page(tmp_path: Path, page: Path) -> None:
    async with running_server(tmp_path, Clock()) as server:
        answer = await server.admin.get("/api/v1/nonsense")
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


async def test_without_a_built_page_the_server_says_how_to_build_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ui, "built_files", lambda: None)
    async with running_server(tmp_path, Clock()) as server:
        answer = await server.client().get("/")
        assert answer.status_code == 503
        assert "make ui" in answer.text
