"""/tokens: make, list, revoke."""

import asyncio
from typing import Any

import httpx
from tests.server.conftest import Clock, Server, log_in

from ringscope_server.background import upkeep

URL = "/api/v1/tokens"
DAY = 86_400


async def make(server: Server, **spec: Any) -> dict[str, Any]:
    response = await server.admin.post(URL, json={"name": "eve"} | spec)
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.json()
    return made


async def me(server: Server, secret: str) -> httpx.Response:
    return await server.client(secret).get("/api/v1/me")


async def test_a_token_is_shown_once_and_opens_what_its_role_allows(server: Server) -> None:
    made = await make(server, role="operator", note="nightly runs")
    assert (await me(server, made["secret"])).json() == {"name": "eve", "role": "operator", "command": None}
    page = (await server.admin.get(URL)).json()
    (shown,) = [item for item in page["items"] if item["id"] == made["id"]]
    assert (shown["note"], shown["created_by"], shown["expires_at"]) == ("nightly runs", "admin", None)
    assert made["secret"] not in str(page)


async def test_a_token_ends_when_it_expires(server: Server, clock: Clock) -> None:
    made = await make(server, role="viewer", expires_in_days=0.5)
    assert made["expires_at"] == "2026-01-01T12:00:00Z"
    clock.advance(DAY / 2 - 1)
    assert (await me(server, made["secret"])).status_code == 200
    clock.advance(1)
    assert (await me(server, made["secret"])).status_code == 401


BAD: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({}, "/role", "a personal token needs a role"),
    ({"role": "agent"}, "/role", "unknown role 'agent'; choose one of viewer, operator, admin"),
    ({"role": "viewer", "kind": "agent"}, "/role", "only personal tokens have a role"),
    ({"kind": "agent"}, "/node", "an agent token speaks for one node; name it"),
    ({"role": "viewer", "node": "n1"}, "/node", "only agent tokens belong to a node"),
    ({"role": "viewer", "name": "system"}, "/name", "stand for the server and its agents"),
    ({"role": "viewer", "name": "node/n1"}, "/name", "stand for the server and its agents"),
    ({"role": "viewer", "name": "a\nb"}, "/name", "printable characters on one line"),
    ({"role": "viewer", "name": " a"}, "/name", "without blanks at the ends"),
    ({"role": "viewer", "expires_in_days": 0}, "/expires_in_days", "give more than 0"),
    ({"role": "viewer", "expires_in_days": 1e308}, "/expires_in_days", "too large; give 3650"),
    ({"role": "viewer", "secret": "mine"}, "/secret", "there is no such field"),
)


async def test_bad_input_names_the_field_and_the_remedy(server: Server) -> None:
    before = (await server.admin.get(URL)).json()
    for spec, pointer, words in BAD:
        response = await server.admin.post(URL, json={"name": "eve"} | spec)
        assert response.status_code == 422
        (error,) = response.json()["errors"]
        assert error["pointer"] == pointer
        assert words in error["detail"]
    assert (await server.admin.get(URL)).json()["items"] == before["items"]


async def test_only_admins_manage_tokens(server: Server) -> None:
    operator = await server.person("operator")
    for response in (
        await operator.get(URL),
        await operator.post(URL, json={"name": "eve", "role": "viewer"}),
        await operator.delete(f"{URL}/1"),
    ):
        assert (response.status_code, response.json()["code"]) == (403, "not_allowed")


async def test_tokens_of_nodes_open_no_route_of_people_and_the_reverse(server: Server) -> None:
    for spec in ({"kind": "agent", "node": "n1"}, {"kind": "join"}):
        secret = (await make(server, **spec))["secret"]
        for path in ("/api/v1/me", "/api/v1/jobs", URL, "/metrics"):
            assert (await server.client(secret).get(path)).status_code == 403
        login = await server.client().post("/api/v1/session", json={"token": secret})
        assert login.status_code == 401
    joiner = server.client((await make(server, kind="join"))["secret"])
    assert (await joiner.post("/api/v1/agents/register", json={})).status_code == 403
    assert (await server.admin.post("/api/v1/agents/n1/poll", json={"epoch": 1})).status_code == 403


async def test_a_revoked_token_ends_with_every_session_and_link_made_with_it(server: Server) -> None:
    made = await make(server, role="admin")
    eve = server.client(made["secret"])
    link = (await eve.post("/api/v1/login-links")).json()["url"]
    pasted = server.client()
    await pasted.post("/api/v1/session", json={"token": made["secret"]})
    followed = await server.follow((await eve.post("/api/v1/login-links")).json()["url"])
    # A link that a session made also hangs on the token behind the session, not on the session.
    made_in_session = await followed.post("/api/v1/login-links", headers={"X-Ringscope-Client": "web"})
    from_session = await server.follow(made_in_session.json()["url"])
    browsers = (pasted, followed, from_session)
    assert [(await browser.get("/api/v1/me")).json()["name"] for browser in browsers] == ["eve"] * 3
    assert (await server.admin.delete(f"{URL}/{made['id']}")).status_code == 204
    assert [(await browser.get("/api/v1/me")).status_code for browser in (eve, *browsers)] == [401] * 4
    assert (await log_in(server.client(), link)).status_code == 401
    assert (await server.admin.delete(f"{URL}/{made['id']}")).status_code == 404


async def test_a_guests_session_is_listed_ends_alone_and_after_a_week_at_most(server: Server, clock: Clock) -> None:
    links = [await server.admin.post("/api/v1/login-links", json={"role": "viewer"}) for _ in range(2)]
    guests = [await server.follow(link.json()["url"]) for link in links]
    listed = [item for item in (await server.admin.get(URL)).json()["items"] if item["kind"] == "guest"]
    assert [(item["name"], item["role"], item["created_by"]) for item in listed] == [("admin", "viewer", "admin")] * 2
    assert listed[0]["expires_at"] == "2026-01-08T00:00:00Z"
    assert (await server.admin.post(f"{URL}/{listed[0]['id']}/rotate")).json()["code"] == "not_of_node"
    assert (await server.admin.delete(f"{URL}/{listed[1]['id']}")).status_code == 204
    assert [(await guest.get("/api/v1/me")).status_code for guest in (*guests, server.admin)] == [401, 200, 200]
    assert (await guests[1].delete("/api/v1/session", headers={"X-Ringscope-Client": "web"})).status_code == 204
    assert (await guests[1].get("/api/v1/me")).status_code == 401


async def test_a_link_says_how_long_whoever_follows_it_stays_logged_in(server: Server, clock: Clock) -> None:
    for role in ("viewer", "admin"):
        browser = server.client()
        link = await server.admin.post("/api/v1/login-links", json={"role": role, "session_hours": 1.5})
        clock.advance(DAY - 1)  # it is good for a day, and the time counts from when it is followed
        answer = await log_in(browser, link.json()["url"])
        assert "Max-Age=5400;" in answer.headers["set-cookie"], "a browser keeps no cookie that is worth nothing"
        clock.advance(1.5 * 3600 - 1)
        assert (await browser.get("/api/v1/me")).json()["role"] == role
        clock.advance(1)
        assert (await browser.get("/api/v1/me")).status_code == 401
    for wrong in (0, -1, 168.1, "NaN", "long"):
        refused = await server.admin.post("/api/v1/login-links", json={"role": "viewer", "session_hours": wrong})
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/session_hours")


async def test_a_session_ends_with_the_time_of_its_token(server: Server, clock: Clock) -> None:
    made = await make(server, role="admin", expires_in_days=1)
    browser = server.client()
    await browser.post("/api/v1/session", json={"token": made["secret"]})
    link = (await server.client(made["secret"]).post("/api/v1/login-links")).json()
    assert link["expires_at"] == made["expires_at"]
    clock.advance(DAY)
    assert (await browser.get("/api/v1/me")).status_code == 401


async def test_the_last_admin_token_stays(server: Server, clock: Clock) -> None:
    (own,) = [item["id"] for item in (await server.admin.get(URL)).json()["items"] if item["role"] == "admin"]
    refused = await server.admin.delete(f"{URL}/{own}")
    assert (refused.status_code, refused.json()["code"]) == (409, "last_admin")
    assert "make another one first" in refused.json()["detail"]
    await make(server, role="admin", expires_in_days=1)
    clock.advance(DAY)  # the other one is over
    assert (await server.admin.delete(f"{URL}/{own}")).status_code == 409
    await make(server, role="admin")
    assert (await server.admin.delete(f"{URL}/{own}")).status_code == 204


async def test_two_admins_who_revoke_each_other_leave_one(server: Server) -> None:
    first, second = await make(server, role="admin"), await make(server, role="admin")
    (own,) = [item["id"] for item in (await server.admin.get(URL)).json()["items"] if item["name"] == "admin"]
    await server.client(first["secret"]).delete(f"{URL}/{own}")
    answers = await asyncio.gather(
        server.client(first["secret"]).delete(f"{URL}/{second['id']}"),
        server.client(second["secret"]).delete(f"{URL}/{first['id']}"),
    )
    assert 204 in {answer.status_code for answer in answers}
    assert {answer.status_code for answer in answers} <= {204, 401, 409}
    left = [(await me(server, made["secret"])).status_code for made in (first, second)]
    assert sorted(left) == [200, 401]


async def test_a_secret_is_not_told_twice(server: Server) -> None:
    headers = {"Idempotency-Key": "k1"}
    spec = {"name": "eve", "role": "viewer"}
    first = await server.admin.post(URL, json=spec, headers=headers)
    again = await server.admin.post(URL, json=spec, headers=headers)
    assert (again.status_code, again.json()["code"]) == (409, "already_made")
    assert f"token {first.json()['id']}" in again.json()["detail"]
    assert len([t for t in (await server.admin.get(URL)).json()["items"] if t["name"] == "eve"]) == 1


async def test_a_key_stands_for_one_request_on_one_route(server: Server) -> None:
    await server.node()
    headers = {"Idempotency-Key": "k1"}
    assert (await server.admin.post("/api/v1/jobs", json={}, headers=headers)).status_code == 201
    other = await server.admin.post(URL, json={"name": "eve", "role": "viewer"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")


async def test_of_requests_under_one_key_at_the_same_time_one_is_carried_out(server: Server) -> None:
    await server.node()
    headers = {"Idempotency-Key": "k1"}
    answers = await asyncio.gather(*(server.admin.post("/api/v1/jobs", json={}, headers=headers) for _ in range(5)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1


async def test_a_key_is_forgotten_after_seven_days(server: Server, clock: Clock) -> None:
    await server.node()
    headers = {"Idempotency-Key": "k1"}
    first = await server.admin.post("/api/v1/jobs", json={}, headers=headers)
    clock.advance(7 * DAY)
    await upkeep.once(server.services)
    assert (await server.admin.post("/api/v1/jobs", json={}, headers=headers)).json()["id"] == first.json()["id"]
    clock.advance(1)
    await upkeep.once(server.services)
    assert (await server.admin.post("/api/v1/jobs", json={}, headers=headers)).json()["id"] != first.json()["id"]


async def last_used(server: Server, token_id: int) -> str | None:
    items = (await server.admin.get(URL)).json()["items"]
    (found,) = [item["last_used_at"] for item in items if item["id"] == token_id]
    return found  # type: ignore[no-any-return]


async def test_the_last_use_of_a_token_is_kept_and_never_goes_back(server: Server, clock: Clock) -> None:
    made = await make(server, role="viewer")
    assert await last_used(server, made["id"]) is None
    clock.advance(60)
    await me(server, made["secret"])
    assert await last_used(server, made["id"]) is None  # no request waits for it to be written
    await upkeep.once(server.services)
    assert await last_used(server, made["id"]) == "2026-01-01T00:01:00Z"
    server.services.last_use.note(made["id"], clock())
    clock.advance(-30)  # another server's clock is behind
    server.services.last_use.note(made["id"], clock())
    await upkeep.once(server.services)
    assert await last_used(server, made["id"]) == "2026-01-01T00:01:00Z"


async def test_what_is_over_is_dropped(server: Server, clock: Clock) -> None:
    secret = server.admin.headers["authorization"].removeprefix("Bearer ")
    await server.client().post("/api/v1/session", json={"token": secret})
    clock.advance(server.services.settings.session_days * DAY + 1)
    await upkeep.once(server.services)
    items = (await server.admin.get(URL, params={"limit": 1000})).json()["items"]
    assert sorted(item["kind"] for item in items) == ["join", "personal"]
