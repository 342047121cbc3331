"""The web page as the server gives it out."""

import gzip
import re
from pathlib import Path

import pytest
from tests.server.conftest import Clock, running_server

from ringscope_server.http import ui

ASSET = "assets/index-abc123.js"
COMPRESSED = "assets/index-abc124.js"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build one page for all tests, since a server makes its routes for each page, which takes longer than a test."""
    built = tmp_path_factory.mktemp("dist")
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<title>ringscope</title>")
    for name in (ASSET, COMPRESSED):
        (built / name).write_text("// the page")
    (built / f"{COMPRESSED}.br").write_bytes(b"brotli")
    (built / f"{COMPRESSED}.gz").write_bytes(gzip.compress(b"gzip"))
    return built


@pytest.fixture
def page(built: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(ui, "built_files", lambda: built)
    return built


async def test_every_path_of_the_page_leads_to_it_and_hashed_files_are_kept(tmp_path: Path, page: Path) -> None:
    async with running_server(tmp_path, Clock()) as server:
        browser = server.client()
        for path in ("/", "/jobs/42", "/nodes"):
            answer = await browser.get(path, headers={"Accept": "text/html"})
            assert (answer.status_code, answer.text) == (200, "<title>ringscope</title>")
            assert answer.headers["cache-control"] == "no-cache"
        for accepted in ("", " ", "*/*", "text/*", "application/json, */*;q=0.1"):
            assert (await browser.get("/login", headers={"Accept": accepted})).status_code == 200, accepted
        assert (await browser.get("/login", headers={"Accept": "application/json"})).status_code == 404
        asset = await browser.get(f"/{ASSET}")
        assert asset.headers["cache-control"] == "public, max-age=31536000, immutable"
        gone = await browser.get("/assets/index-old.js")
        assert (gone.status_code, gone.headers["cache-control"]) == (404, "no-cache")
        for roundabout in ("/assets/%2e%2e/index.html", "/assets/..%2findex.html", "/assets/"):
            assert (await browser.get(roundabout)).headers["cache-control"] == "no-cache"


SENT = {
    "gzip, deflate, br, zstd": "br",
    "gzip": "gzip",
    "BR;q=0.5, gzip": "br",
    "br;q=0, gzip;q=0.0": None,
    "identity": None,
}


async def test_what_the_build_compressed_is_sent_as_it_lies(tmp_path: Path, page: Path) -> None:
    lying = {sent: (page / f"{COMPRESSED}{end}").read_bytes() for sent, end in (("br", ".br"), ("gzip", ".gz"))}
    async with running_server(tmp_path, Clock()) as server:
        for accepted, sent in SENT.items():
            request = server.client().build_request("GET", f"/{COMPRESSED}", headers={"Accept-Encoding": accepted})
            answer = await server.client().send(request, stream=True)
            content = b"".join([part async for part in answer.aiter_raw()])
            assert content == (b"// the page" if sent is None else lying[sent]), accepted
            assert answer.headers.get("content-encoding") == sent
            assert answer.headers["content-type"].startswith("text/javascript")
            assert answer.headers["vary"] == "Accept-Encoding"
            assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
            known = {"Accept-Encoding": accepted, "If-None-Match": answer.headers["etag"]}
            assert (await server.client().get(f"/{COMPRESSED}", headers=known)).status_code == 304


async def test_no_other_site_may_frame_a_page_or_learn_its_address(tmp_path: Path, page: Path) -> None:
    async with running_server(tmp_path, Clock()) as server:
        for path in ("/", "/jobs/42", "/api/v1/me", "/api/v1/nonsense"):
            headers = (await server.client().get(path)).headers
            policy = headers["content-security-policy"].split("; ")
            assert {"default-src 'self'", "script-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"} <= {*policy}
            assert headers["referrer-policy"] == "same-origin"
            assert headers["x-content-type-options"] == "nosniff"
            assert "access-control-allow-origin" not in headers


async def test_the_pages_of_the_api_name_every_operation_and_load_nothing(tmp_path: Path, page: Path) -> None:
    async with running_server(tmp_path, Clock()) as server:
        answer = await server.client().get("/docs")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        document = server.api.openapi()
        operations = [operation for methods in document["paths"].values() for operation in methods.values()]
        for anchor in (*(operation["operationId"] for operation in operations), *document["components"]["schemas"]):
            assert f"<details id='{anchor}'>" in answer.text
        assert set(re.findall(r"<(\w+)[^>]* src=", answer.text)) == set()
        assert "<script" not in answer.text and "<link" not in answer.text
        known = set(re.findall(r"id=['\"]([^'\"]+)", answer.text))
        assert set(re.findall(r"href=['\"]#([^'\"]+)", answer.text)) <= known
        # FastAPI's own, which load scripts from elsewhere, are gone: the page of the site is there instead.
        assert "swagger" not in (await server.client().get("/redoc")).text.lower()


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
