"""/schedules: made, read, changed, removed, run by hand."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select, update
from tests.server.conftest import ONE_SIZE, Clock, Server

from ringscope_server.db.models import Event, Schedule
from ringscope_server.users import tokens

NIGHTLY = {"name": "nightly", "cron": "30 2 * * *", "timezone": "Europe/Berlin", "spec": ONE_SIZE}
PATH = "/api/v1/schedules"


async def make(server: Server, **more: Any) -> dict[str, Any]:
    response = await server.admin.post(PATH, json=NIGHTLY | more)
    assert response.status_code == 201, response.text
    schedule: dict[str, Any] = response.json()
    return schedule


async def events(server: Server, target_id: int) -> list[tuple[str, str, str]]:
    query = select(Event).where(Event.target_type == "schedule", Event.target_id == str(target_id)).order_by(Event.id)
    async with server.services.database.read() as session:
        return [(event.actor, event.action, event.message) for event in await session.scalars(query)]


async def test_a_schedule_is_made_and_read(server: Server) -> None:
    response = await server.admin.post(PATH, json=NIGHTLY)
    schedule = response.json()
    assert response.headers["location"] == f"{PATH}/{schedule['id']}"
    assert schedule["next_fire_at"] == "2026-01-01T01:30:00Z"
    assert (schedule["overlap"], schedule["user"], schedule["is_enabled"]) == ("skip", "admin", True)
    assert schedule["spec"]["benchmark"]["max_bytes"] == 1024
    read = await server.admin.get(f"{PATH}/{schedule['id']}")
    assert (read.json(), read.headers["etag"]) == (schedule, '"1"')
    assert (await server.admin.get(PATH)).json() == {"items": [schedule], "next": None}
    assert await events(server, schedule["id"]) == [("admin", "schedule.created", "")]


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"cron": "every day"}, "/cron", "cron: 'every day' does not have five fields; give one such as"),
    ({"cron": "99 * * * *"}, "/cron", "a bad minute"),
    ({"timezone": "Berlin"}, "/timezone", "timezone: 'Berlin' is not a time zone; give an IANA name"),
    ({"overlap": "both"}, "/overlap", "unknown overlap 'both'; choose one of skip, queue, replace"),
    ({"name": ""}, "/name", "name"),
    ({"name": "a\r\nb"}, "/name", "control characters"),
    ({"colour": "red"}, "/colour", "there is no such field"),
    ({"spec": {"benchmark": {"iterations": -1}}}, "/spec/benchmark/iterations", "-1 is too small"),
    ({"spec": {"placement": {"ranks": 0}}}, "/spec/placement/ranks", "0 is too small"),
]


async def test_bad_input_names_the_field_and_the_remedy(server: Server) -> None:
    for change, pointer, words in BAD:
        response = await server.admin.post(PATH, json=NIGHTLY | change)
        assert response.status_code == 422
        assert [error["pointer"] for error in response.json()["errors"]] == [pointer]
        assert words in response.json()["detail"]
    assert (await server.admin.get(PATH)).json()["items"] == []


async def test_two_schedules_never_have_one_name(server: Server) -> None:
    first = await make(server)
    other = await make(server, name="weekly")
    for response in (
        await server.admin.post(PATH, json=NIGHTLY),
        await server.admin.put(f"{PATH}/{other['id']}", json=NIGHTLY),
    ):
        assert (response.status_code, response.json()["code"]) == (409, "name_taken")
        assert response.json()["errors"][0]["pointer"] == "/name"
    names = [item["name"] for item in (await server.admin.get(PATH)).json()["items"]]
    assert names == ["weekly", "nightly"]
    assert (await server.admin.put(f"{PATH}/{first['id']}", json=NIGHTLY)).status_code == 200


async def test_a_repeated_key_makes_one_schedule(server: Server) -> None:
    headers = {"Idempotency-Key": "k1"}
    first = await server.admin.post(PATH, json=NIGHTLY, headers=headers)
    again = await server.admin.post(PATH, json=NIGHTLY, headers=headers)
    assert (again.status_code, again.json()) == (201, first.json())
    other = await server.admin.post(PATH, json=NIGHTLY | {"name": "other"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")
    await server.admin.delete(f"{PATH}/{first.json()['id']}")
    gone = await server.admin.post(PATH, json=NIGHTLY, headers=headers)
    assert (gone.status_code, gone.json()["code"]) == (409, "idempotency_key_reused")


async def test_a_change_counts_the_revision_and_keeps_what_is_due(server: Server, clock: Clock) -> None:
    path = f"{PATH}/{(await make(server))['id']}"
    clock.go_to(datetime(2026, 1, 1, 1, 31, tzinfo=UTC))  # due since a minute, and no pass has come by
    renamed = await server.admin.put(path, json=NIGHTLY | {"name": "night"}, headers={"If-Match": '"1"'})
    assert (renamed.status_code, renamed.headers["etag"]) == (200, '"2"')
    assert renamed.json()["next_fire_at"] == "2026-01-01T01:30:00Z"
    same = await server.admin.put(path, json=NIGHTLY | {"name": "night"})
    assert same.json()["revision"] == 2
    later = await server.admin.put(path, json=NIGHTLY | {"cron": "0 4 * * *"})
    assert later.json()["next_fire_at"] == "2026-01-01T03:00:00Z"
    said = await events(server, later.json()["id"])
    assert [(action, message) for _, action, message in said[1:]] == [
        ("schedule.changed", "Changed: name."),
        ("schedule.changed", "Changed: name, cron."),
    ]


async def test_a_change_of_an_old_revision_is_refused(server: Server) -> None:
    path = f"{PATH}/{(await make(server))['id']}"
    await server.admin.put(path, json=NIGHTLY | {"name": "night"})
    for late in (
        await server.admin.put(path, json=NIGHTLY | {"cron": "0 0 * * *"}, headers={"If-Match": '"1"'}),
        await server.admin.delete(path, headers={"If-Match": '"1"'}),
    ):
        assert (late.status_code, late.json()["code"]) == (412, "changed_meanwhile")
    assert (await server.admin.get(path)).json()["cron"] == NIGHTLY["cron"]


async def test_a_disabled_schedule_has_no_times(server: Server, clock: Clock) -> None:
    await server.node()
    path = f"{PATH}/{(await make(server))['id']}"
    off = await server.admin.put(path, json=NIGHTLY | {"is_enabled": False})
    assert off.json()["next_fire_at"] is None
    assert (await server.admin.get(f"{path}/upcoming")).json() == {"items": []}
    clock.advance(86_400)
    await server.one_pass()
    assert (await server.admin.get("/api/v1/jobs")).json()["items"] == []
    on = await server.admin.put(path, json=NIGHTLY)
    assert on.json()["next_fire_at"] == "2026-01-02T01:30:00Z"


async def test_upcoming_times_are_told(server: Server) -> None:
    path = f"{PATH}/{(await make(server))['id']}"
    shown = (await server.admin.get(f"{path}/upcoming", params={"count": 2})).json()
    assert shown == {"items": ["2026-01-01T01:30:00Z", "2026-01-02T01:30:00Z"]}
    assert (await server.admin.get(f"{path}/upcoming", params={"count": 0})).status_code == 422


async def test_run_now_submits_beside_the_times(server: Server) -> None:
    await server.node()
    schedule = await make(server, is_enabled=False)
    path, headers = f"{PATH}/{schedule['id']}", {"Idempotency-Key": "k1"}
    job = await server.admin.post(f"{path}/run", headers=headers)
    again = await server.admin.post(f"{path}/run", headers=headers)
    assert (job.status_code, job.json()["state"], job.json()["schedule_id"]) == (201, "queued", schedule["id"])
    assert again.json()["id"] == job.json()["id"]
    second = (await server.admin.post(f"{path}/run")).json()
    read = (await server.admin.get(path)).json()
    assert (read["last_job_id"], read["last_fire_at"]) == (second["id"], None)
    assert ("admin", "schedule.run", f"Job {second['id']} was submitted.") in await events(server, schedule["id"])


async def test_run_now_says_what_is_wrong(server: Server) -> None:
    path = f"{PATH}/{(await make(server))['id']}/run"
    refused = await server.admin.post(path)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/placement/ranks")
    async with server.services.database.write() as session:
        await session.execute(update(Schedule).values(spec={"kind": "long gone"}))
    refused = await server.admin.post(path)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/kind")


async def test_a_removed_schedule_leaves_its_jobs(server: Server) -> None:
    await server.node()
    path = f"{PATH}/{(await make(server))['id']}"
    job = (await server.admin.post(f"{path}/run")).json()
    assert (await server.admin.delete(path)).status_code == 204
    assert (await server.admin.get(path)).status_code == 404
    assert (await server.job(job["id"]))["schedule_id"] is None


async def test_a_viewer_only_reads(server: Server, clock: Clock) -> None:
    path = f"{PATH}/{(await make(server))['id']}"
    async with server.services.database.write() as session:
        viewer = server.client(await tokens.create(session, "eve", "personal", "viewer", clock(), None))
    assert (await viewer.get(path)).status_code == 200
    for response in (
        await viewer.post(PATH, json=NIGHTLY),
        await viewer.put(path, json=NIGHTLY),
        await viewer.post(f"{path}/run"),
        await viewer.delete(path),
    ):
        assert response.status_code == 403


async def test_pages_follow_each_other(server: Server) -> None:
    for number in range(3):
        await make(server, name=f"s{number}")
    first = (await server.admin.get(PATH, params={"limit": 2})).json()
    rest = (await server.admin.get(PATH, params={"limit": 2, "cursor": first["next"]})).json()
    assert [item["name"] for item in first["items"] + rest["items"]] == ["s2", "s1", "s0"]
    assert rest["next"] is None


async def test_the_times_of_an_expression_are_told_before_a_schedule_is_made(server: Server) -> None:
    path = "/api/v1/schedules/times"
    answer = await server.admin.get(path, params={"cron": "30 2 * * MON-FRI", "timezone": "Europe/Berlin", "count": 2})
    assert answer.json() == {"items": ["2026-01-01T01:30:00Z", "2026-01-02T01:30:00Z"]}
    wrong = (await server.admin.get(path, params={"cron": "61 2 * * *"})).json()
    assert "has a bad minute; give one such as" in wrong["detail"]
    wrong = (await server.admin.get(path, params={"cron": "0 2 * * *", "timezone": "Berlin"})).json()
    assert "'Berlin' is not a time zone" in wrong["detail"]
    assert (await server.admin.get("/api/v1/schedules")).json()["items"] == []
