"""A share link lets anyone view and no one change, until it expires or is revoked."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from sqlalchemy import select
from tests.server.conftest import ONE_SIZE, Clock, Server, log_in

from ringscope_server.background import upkeep
from ringscope_server.db.models import Token
from ringscope_server.users import sessions, tokens

URL = "/api/v1/share-links"
WEB = {"X-Ringscope-Client": "web"}
DAY = 86_400


async def share(server: Server, **wanted: Any) -> dict[str, Any]:
    answer = await server.admin.post(URL, json=wanted)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_several_people_view_with_one_link_and_change_nothing(server: Server) -> None:
    made = await share(server, next="/jobs/7?view=table")
    assert parse_qs(urlsplit(made["url"]).query)["next"] == ["/jobs/7?view=table"]
    for _ in range(3):
        # A chat asks for the address to show a preview, and uses nothing up.
        preview = await server.client().get(f"/login?{urlsplit(made['url']).query}")
        assert "set-cookie" not in preview.headers
        guest = await server.follow(made["url"])
        assert (await guest.get("/api/v1/me")).json() == {"name": "admin", "role": "viewer", "command": None}
        assert (await guest.post("/api/v1/jobs", json=ONE_SIZE, headers=WEB)).json()["code"] == "not_allowed"
        assert (await guest.post(URL, headers=WEB)).json()["code"] == "not_allowed"


async def test_it_is_listed_without_its_secret_and_its_guests_are_not(server: Server) -> None:
    made = await share(server, next="/jobs/7")
    (secret,) = parse_qs(urlsplit(made["url"]).query)["token"]
    await server.follow(made["url"])
    listed = (await server.admin.get("/api/v1/tokens")).json()["items"]
    (found,) = [item for item in listed if item["kind"] in ("share", "guest")]
    assert (found["id"], found["kind"], found["role"], found["note"]) == (made["id"], "share", "viewer", "/jobs/7")
    assert (found["expires_at"], found["last_used_at"]) == ("2026-01-08T00:00:00Z", "2026-01-01T00:00:00Z")
    async with server.services.database.read() as session:
        kept = (await session.scalars(select(Token.sha256))).all()
    assert tokens.fingerprint(secret) in kept and secret not in kept
    # The link's secret logs in, and opens no route by itself.
    assert (await server.client(secret).get("/api/v1/jobs")).json()["code"] == "bad_token"


async def test_revoking_it_ends_the_link_and_all_sessions_of_it(server: Server) -> None:
    made, other = await share(server), await share(server)
    guests = [await server.follow(link["url"]) for link in (made, made, other)]
    assert (await server.admin.delete(f"/api/v1/tokens/{made['id']}")).status_code == 204
    assert [(await guest.get("/api/v1/me")).status_code for guest in guests] == [401, 401, 200]
    refused = await log_in(server.client(), made["url"])
    assert (refused.status_code, refused.json()["code"]) == (401, "bad_token")
    events = (await server.admin.get("/api/v1/events", params={"action": "token.revoked"})).json()["items"]
    assert events[0]["message"] == "share link to /"


async def test_it_ends_with_its_time_and_with_the_token_that_made_it(server: Server, clock: Clock) -> None:
    made = await share(server, expires_in_days=2)
    guest = await server.follow(made["url"])
    clock.advance(2 * DAY - 1)
    assert (await guest.get("/api/v1/me")).status_code == 200
    late = await server.follow(made["url"])
    clock.advance(1)
    assert [(await one.get("/api/v1/me")).status_code for one in (guest, late)] == [401, 401]
    assert (await log_in(server.client(), made["url"])).status_code == 401
    clock.advance(1)
    await upkeep.once(server.services)
    assert [one for one in (await server.admin.get("/api/v1/tokens")).json()["items"] if one["kind"] == "share"] == []
    eve = (await server.admin.post("/api/v1/tokens", json={"name": "eve", "role": "admin"})).json()
    url = (await server.client(eve["secret"]).post(URL)).json()["url"]
    guest = await server.follow(url)
    await server.admin.delete(f"/api/v1/tokens/{eve['id']}")
    assert (await guest.get("/api/v1/me")).status_code == 401
    assert (await log_in(server.client(), url)).status_code == 401


async def test_a_browser_that_is_logged_in_keeps_its_role(server: Server) -> None:
    made = await share(server)
    admin = await server.follow((await server.admin.post("/api/v1/login-links")).json()["url"])
    assert (await log_in(admin, made["url"])).status_code == 204
    assert (await admin.get("/api/v1/me")).json()["role"] == "admin"
    # A guest that opens the link again gets no second session.
    guest = await server.follow(made["url"])
    async with server.services.database.read() as session:
        count = len((await session.scalars(select(Token))).all())
    assert (await log_in(guest, made["url"])).status_code == 204
    async with server.services.database.read() as session:
        assert len((await session.scalars(select(Token))).all()) == count


async def test_one_link_has_a_limited_number_of_sessions(server: Server, monkeypatch: Any) -> None:
    monkeypatch.setattr(sessions, "MOST_GUESTS", 2)
    made = await share(server)
    guests = [await server.follow(made["url"]) for _ in range(3)]
    assert [(await guest.get("/api/v1/me")).status_code for guest in guests] == [401, 200, 200]


async def test_only_admins_share_and_bad_input_is_named(server: Server) -> None:
    viewer = await server.person("viewer")
    assert (await viewer.post(URL)).json()["code"] == "not_allowed"
    for field, value in (("expires_in_days", 31), ("expires_in_days", 0), ("next", "//evil.example")):
        refused = await server.admin.post(URL, json={field: value})
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, f"/{field}")
