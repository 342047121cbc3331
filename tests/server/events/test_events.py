"""/events: the audit, and its export."""

import csv
import io
import json
from typing import Any

import pytest
from tests.server.conftest import ONE_SIZE, Clock, Server

from ringscope_server.events import audit, queries
from ringscope_server.results.row_files import harmless

URL = "/api/v1/events"


async def found(server: Server, **params: Any) -> list[dict[str, Any]]:
    response = await server.admin.get(URL, params=params)
    assert response.status_code == 200, response.text
    items: list[dict[str, Any]] = response.json()["items"]
    return items


async def write(server: Server, count: int, **more: Any) -> None:
    async with server.services.database.write() as session:
        for number in range(count):
            audit.record(session, server.clock(), "eve", "job.cancelled", ("job", number), **more)


async def test_who_did_what_can_be_asked_for_in_many_ways(server: Server, clock: Clock) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    clock.advance(60)
    eve = await server.person("operator")
    await eve.post(f"/api/v1/jobs/{job['id']}/cancel")
    (cancelled,) = await found(server, actor="eve")
    assert (cancelled["action"], cancelled["target_type"]) == ("job.cancelled", "job")
    assert (cancelled["target_id"], cancelled["before"], cancelled["after"]) == (str(job["id"]), "queued", "cancelled")
    assert cancelled["time"] == "2026-01-01T00:01:00Z"
    of_job = await found(server, target_type="job", target_id=job["id"])
    assert [event["action"] for event in of_job] == ["job.cancelled", "job.submitted"]
    assert await found(server, action="job.*") == of_job
    assert await found(server, action="job.submitted") == of_job[1:]
    assert await found(server, action="job.%") == await found(server, action="job_*") == []
    assert await found(server, since="2026-01-01T00:01:00Z", action="job.*") == of_job[:1]
    assert await found(server, until="2026-01-01T01:01:00+01:00", action="job.*") == of_job[1:]


async def test_pages_neither_repeat_nor_skip_while_events_come(server: Server) -> None:
    await write(server, 5)
    first = (await server.admin.get(URL, params={"limit": 3, "actor": "eve"})).json()
    await write(server, 2)
    second = (await server.admin.get(URL, params={"limit": 3, "actor": "eve", "cursor": first["next"]})).json()
    ids = [event["target_id"] for event in first["items"] + second["items"]]
    assert ids == ["4", "3", "2", "1", "0"]
    assert second["next"] is None


@pytest.mark.parametrize("since", ["yesterday", "2026-01-01T00:00:00"])
async def test_a_time_must_be_one_and_have_a_zone(server: Server, since: str) -> None:
    response = await server.admin.get(URL, params={"since": since})
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (422, "/since")


@pytest.mark.parametrize("since", ["0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"])
async def test_a_time_at_the_end_of_the_calendar_is_refused_before_an_export_begins(server: Server, since: str) -> None:
    for url in (URL, f"{URL}/export"):
        for field in ("since", "until"):
            response = await server.admin.get(url, params={field: since})
            assert response.status_code == 422, response.text
            sentence = f"{field}: the year is {int(since[:4])}; give a time in the years 1970 to 8999."
            assert response.json()["detail"] == sentence


async def test_the_export_has_every_event_that_matches_and_is_read_in_batches(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "EXPORT_ROWS", 2)
    await write(server, 5)
    response = await server.admin.get(f"{URL}/export", params={"actor": "eve"})
    assert response.headers["content-type"] == "application/x-ndjson"
    assert response.headers["content-disposition"] == 'attachment; filename="ringscope-events.ndjson"'
    events = [json.loads(line) for line in response.text.splitlines()]
    assert events == list(reversed(await found(server, actor="eve")))
    assert len(events) == 5


async def test_a_spreadsheet_runs_nothing_from_the_export(server: Server) -> None:
    await write(server, 1, before="=1+1", after="-2", message='@SUM(1),"two"\nlines')
    response = await server.admin.get(f"{URL}/export", params={"actor": "eve", "format": "csv"})
    assert response.headers["content-type"].startswith("text/csv")
    (row,) = csv.DictReader(io.StringIO(response.text, newline=""))
    assert (row["before"], row["after"], row["message"]) == ("'=1+1", "'-2", '\'@SUM(1),"two"\nlines')
    assert (row["actor"], row["target_id"]) == ("eve", "0")


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@a", "\t=1", "\r=1"])
def test_what_begins_a_formula_gets_an_apostrophe(cell: str) -> None:
    assert harmless(cell) == "'" + cell
    assert harmless("a" + cell) == "a" + cell


async def test_only_admins_export(server: Server) -> None:
    viewer = await server.person("viewer")
    assert (await viewer.get(URL)).status_code == 200
    assert (await viewer.get(f"{URL}/export")).status_code == 403
    assert (await server.admin.get(f"{URL}/export", params={"format": "xml"})).status_code == 422


async def test_tokens_and_logins_are_events(server: Server) -> None:
    eve = await server.person("admin")
    browser = await server.follow((await eve.post("/api/v1/login-links")).json()["url"])
    await browser.delete("/api/v1/session", headers={"X-Ringscope-Client": "web"})
    actions = [(event["actor"], event["action"], event["message"]) for event in await found(server)]
    assert actions == [
        ("eve", "session.ended", ""),
        ("eve", "session.created", "Logged in with a login link."),
        ("eve", "login_link.created", ""),
        ("admin", "token.created", "personal token for eve"),
    ]


async def test_logins_that_fail_are_counted(server: Server) -> None:
    for _ in range(2):
        await server.client().post("/api/v1/session", json={"token": "rs_wrong"})
    await server.client("rs_wrong").get("/api/v1/jobs")
    await server.client().get("/api/v1/jobs")
    metrics = (await server.admin.get("/metrics")).text
    assert 'ringscope_auth_failures_total{reason="login"} 2.0' in metrics
    assert 'ringscope_auth_failures_total{reason="bad_token"} 1.0' in metrics
    assert 'ringscope_auth_failures_total{reason="no_token"} 1.0' in metrics
