"""A server below a path of a proxy, whether the proxy sends the path on or cuts it off."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import Receive, Scope, Send
from tests.server.conftest import Clock, running_server

from ringscope_server.http.middleware.root_path import RootPath, rooted
from ringscope_server.settings import Settings

HTML = '<link href="/assets/a.css"><script src="/assets/a.js"></script><a href="https://b.example/">b</a>'


def at(path: str, root: str = "/ring/scope", page: Path | None = None, **headers: str) -> httpx.Response:
    """The answer of an application behind the middleware that tells the path that it saw, or redirects to /there."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen = scope["path"]
        answer: Any = RedirectResponse("/there") if seen == "/api/away" else PlainTextResponse(seen)
        await answer(scope, receive, send)

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(RootPath(app, root, page))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.get(path, headers=headers)

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("path", "seen"),
    [
        ("/ring/scope/api/v1/jobs", "/api/v1/jobs"),
        ("/api/v1/jobs", "/api/v1/jobs"),
        ("/ring/scope", "/"),
        ("/ring/scope/", "/"),
        ("/ring/scopes/api/x", "/ring/scopes/api/x"),
    ],
)
def test_a_path_is_understood_with_the_root_and_without(path: str, seen: str) -> None:
    assert at(path).text == seen


def test_a_location_has_the_root_once() -> None:
    assert at("/ring/scope/api/away").headers["location"] == "/ring/scope/there"
    assert at("/api/away", root="/there").headers["location"] == "/there"
    assert at("/api/away", root="").headers["location"] == "/there"


def test_the_page_loads_its_files_from_the_root(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(HTML)
    for path in ("/ring/scope/jobs/7", "/jobs/7", "/ring/scope"):
        assert at(path, page=tmp_path).text == rooted(HTML, "/ring/scope")
    assert at("/ring/scope/assets/a.js", page=tmp_path).text == "/assets/a.js"
    assert rooted(HTML, "/r") == (
        '<link href="/r/assets/a.css"><script src="/r/assets/a.js"></script><a href="https://b.example/">b</a>'
    )


@pytest.mark.parametrize("root", ["ringscope", "/a b", "//host", "/api", "/api/x", "/a//b", "/metrics"])
def test_a_root_that_cannot_be_one_is_refused(root: str) -> None:
    with pytest.raises(ValidationError, match="such as /ringscope"):
        Settings(root_path=root)


def test_the_root_is_the_path_of_the_public_url_unless_it_is_given() -> None:
    assert Settings(root_path="/ringscope/").root == "/ringscope"
    assert Settings(public_url="https://host/ringscope/").root == "/ringscope"
    assert Settings(public_url="https://host/ringscope/", root_path="/other").root == "/other"
    assert Settings(public_url="https://host").root == Settings().root == ""


@pytest.mark.parametrize("root", ["", "/ringscope"])
async def test_the_api_document_names_the_root_as_its_server(tmp_path: Path, root: str) -> None:
    async with running_server(tmp_path, Clock(), root_path=root) as server:
        for path in {"/openapi.json", f"{root}/openapi.json"}:
            document = (await server.client().get(path)).json()
            assert [there["url"] for there in document.get("servers", [])] == [root] * bool(root)
        assert 'href="openapi.json"' in (await server.client().get(f"{root}/docs")).text
