"""Tokens, login links and cookies give roles, and each role allows its routes."""

from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from sqlalchemy import delete
from tests.server.conftest import Clock, Server, log_in, running_server

from ringscope_server.db.engine import Database
from ringscope_server.db.models import Token
from ringscope_server.http.auth import RequireRole
from ringscope_server.users import tokens

PUBLIC = {
    "/api/v1/session",  # POST logs in
    *("/", "/login"),  # how to build the page, where it is not built
    "/healthz",
    "/docs",
    "/readyz",
}


def roles(dependant: Dependant) -> set[str]:
    found = {dependant.call.role} if isinstance(dependant.call, RequireRole) else set()
    return found.union(*(roles(inner) for inner in dependant.dependencies))


async def test_every_route_requires_a_role_or_is_known_to_be_public(server: Server) -> None:
    walked = 0
    for context in iter_route_contexts(server.api.routes):
        route = context.original_route
        if not isinstance(route, APIRoute):
            continue
        walked += 1
        path = context.path
        if not roles(route.dependant):
            assert path in PUBLIC, f"{path} can be called by anybody"
        elif path.startswith("/api/v1/agents"):
            assert roles(route.dependant) == {"join" if path.endswith("/join") else "agent"}
    assert walked > 20


@pytest.mark.parametrize("token", [None, "rs_wrong", "bla\x7f"])
async def test_without_a_valid_token_nothing_is_shown(server: Server, token: str | None) -> None:
    response = await server.client(token).get("/api/v1/jobs")
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"


async def test_roles_are_kept_apart(server: Server, clock: Clock) -> None:
    async with server.services.database.write() as session:
        secret = await tokens.create(session, "eve", "personal", "viewer", clock(), None)
    viewer = server.client(secret)
    assert (await viewer.get("/api/v1/jobs")).status_code == 200
    refused = await viewer.post("/api/v1/jobs", json={})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    assert (await viewer.post("/api/v1/login-links")).status_code == 403
    assert (await (await server.speaker()).get("/api/v1/jobs")).status_code == 403
    assert (await server.admin.post("/api/v1/agents/register", json={})).status_code == 403


async def test_an_expired_token_is_worth_nothing(server: Server, clock: Clock) -> None:
    async with server.services.database.write() as session:
        end = clock()
        secret = await tokens.create(session, "eve", "personal", "admin", clock(), end)
    assert (await server.client(secret).get("/api/v1/me")).status_code == 401


async def test_a_token_that_is_revoked_while_its_request_is_under_way_is_worth_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = await server.person("admin")
    made = await server.admin.post("/api/v1/tokens", json={"name": "lab", "kind": "join"})
    joiner = server.client(made.json()["secret"])
    find = server.services.token_cache.find

    async def found_and_revoked(database: Database, secret: str, now: datetime) -> Token | None:
        token = await find(database, secret, now)
        assert token is not None
        async with database.write() as session:
            await session.execute(delete(Token).where(Token.id == token.id))
        return token

    monkeypatch.setattr(server.services.token_cache, "find", found_and_revoked)
    for answer in (
        await eve.post("/api/v1/login-links"),
        await joiner.post("/api/v1/agents/join", json={"name": "n1"}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (401, "bad_token")


async def test_a_login_link_works_once_and_is_not_used_up_by_who_only_looks_at_it(server: Server) -> None:
    link = (await server.admin.post("/api/v1/login-links")).json()["url"]
    secret = link.partition("token=")[2]
    assert (await server.client(secret).get("/api/v1/me")).status_code == 401
    for preview in (server.client(), server.client()):
        await preview.get(link, headers={"Accept": "text/html"})
        assert not preview.cookies
    browser = await server.follow(link)
    assert (await browser.get("/api/v1/me")).json() == {"name": "admin", "role": "admin", "command": None}
    again = await log_in(server.client(), link)
    assert (again.status_code, again.json()["code"]) == (401, "bad_token")


async def test_a_login_link_names_the_page_that_was_shared_and_gives_the_role_that_was_chosen(server: Server) -> None:
    page = "/jobs/1?tab=log&rank=2"
    made = await server.admin.post("/api/v1/login-links", json={"next": page, "role": "viewer"})
    assert made.status_code == 201, made.text
    link = made.json()["url"]
    assert parse_qs(urlsplit(link).query)["next"] == [page]
    assert (await (await server.follow(link)).get("/api/v1/me")).json() == {
        "name": "admin",
        "role": "viewer",
        "command": None,
    }


ELSEWHERE = [
    "//evil.example",
    "https://evil.example",
    "/\\evil.example",
    "jobs/1",
    "/\t/evil.example",
    "/\n/evil.example",
]


@pytest.mark.parametrize("target", ELSEWHERE)
async def test_a_login_link_never_leads_to_another_site(server: Server, target: str) -> None:
    refused = await server.admin.post("/api/v1/login-links", json={"next": target})
    (error,) = refused.json()["errors"]
    assert (refused.status_code, error["pointer"]) == (422, "/next")
    assert "give one that begins with a single slash" in error["detail"]


async def test_a_login_link_does_not_believe_the_host_of_a_request(server: Server) -> None:
    own = (await server.admin.post("/api/v1/login-links")).json()["url"]
    forged = await server.admin.post("/api/v1/login-links", headers={"Host": "evil.example"})
    assert forged.json()["url"].partition("/login?")[0] == own.partition("/login?")[0]
    for local in ("localhost:8123", "127.0.0.1:8123", "[::1]:8123"):
        link = (await server.admin.post("/api/v1/login-links", headers={"Host": local})).json()["url"]
        assert link.startswith(f"http://{local}/login?token=")
        headers = {"Host": local, "X-Forwarded-For": "203.0.113.7"}
        proxied = (await server.admin.post("/api/v1/login-links", headers=headers)).json()["url"]
        assert proxied.partition("/login?")[0] == own.partition("/login?")[0]


async def test_a_pasted_token_logs_in_and_out(server: Server) -> None:
    browser = server.client()
    wrong = await browser.post("/api/v1/session", json={"token": "rs_wrong"})
    assert (wrong.status_code, wrong.json()["code"]) == (401, "bad_token")
    secret = server.admin.headers["authorization"].removeprefix("Bearer ")
    assert (await browser.post("/api/v1/session", json={"token": secret})).status_code == 204
    assert (await browser.get("/api/v1/me")).status_code == 200
    assert (await browser.delete("/api/v1/session")).status_code == 403
    headers = {"X-Ringscope-Client": "web"}
    assert (await browser.delete("/api/v1/session", headers=headers)).status_code == 204
    assert (await browser.get("/api/v1/me")).status_code == 401


async def test_the_cookie_alone_changes_nothing(server: Server) -> None:
    browser = await server.follow((await server.admin.post("/api/v1/login-links")).json()["url"])
    forged = await browser.post("/api/v1/jobs", json={})
    assert (forged.status_code, forged.json()["code"]) == (403, "forged_request")
    assert (await browser.post("/api/v1/jobs", json={}, headers={"X-Ringscope-Client": "web"})).status_code == 422


async def test_redirections_name_no_host_and_cookies_follow_the_public_url(tmp_path: Path, clock: Clock) -> None:
    """A proxy that ends TLS on another machine asks over http."""
    async with running_server(tmp_path, clock, public_url="https://rings.example") as server:
        moved = await server.admin.get("/api/v1/jobs/?limit=5")
        assert (moved.status_code, moved.headers["location"]) == (307, "/api/v1/jobs?limit=5")
        secret = server.admin.headers["authorization"].removeprefix("Bearer ")
        begun = await server.client().post("/api/v1/session", json={"token": secret})
        assert "secure" in begun.headers["set-cookie"].lower()
