"""PATCH /jobs/{id}."""

import json

import httpx
from tests.server.conftest import ONE_SIZE, Server


async def patch(server: Server, job_id: int, if_match: str | None = None, **fields: object) -> httpx.Response:
    headers = {"If-Match": if_match} if if_match else {}
    return await server.admin.patch(f"/api/v1/jobs/{job_id}", json=fields, headers=headers)


async def test_name_labels_and_priority_change_and_the_change_is_on_record(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE, labels={"team": "a"})
    changed = await patch(server, job["id"], name="nightly", priority=90, labels={"team": "b"})
    assert (changed.status_code, changed.headers["etag"]) == (200, '"2"')
    view = changed.json()
    assert (view["name"], view["priority"], view["labels"], view["revision"]) == ("nightly", 90, {"team": "b"}, 2)
    assert (view["spec"]["priority"], view["spec"]["labels"]) == (50, {"team": "a"}), "what was asked for stays"
    event = (await server.admin.get(f"/api/v1/jobs/{job['id']}/events")).json()["items"][-1]
    assert (event["action"], event["actor"]) == ("job.changed", "admin")
    before = {"name": "all_reduce ring on 2 ranks", "priority": 50, "labels": {"team": "a"}}
    assert (json.loads(event["before"]), json.loads(event["after"])["priority"]) == (before, 90)


async def test_a_note_is_shown_found_and_removed(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    await server.submit(**ONE_SIZE)
    assert job["note"] == ""
    assert (await patch(server, job["id"], note=" After the new CABLE \n")).json()["note"] == "After the new CABLE"
    found = (await server.admin.get("/api/v1/jobs?q=new cable")).json()["items"]
    assert [one["id"] for one in found] == [job["id"]]
    assert (await patch(server, job["id"], note="")).json()["note"] == ""
    refused = await patch(server, job["id"], note="x" * 2001)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/note")


async def test_a_higher_priority_starts_first(server: Server) -> None:
    agent = await server.node(slots=2)
    await server.submit(**ONE_SIZE)
    running = await agent.start_next()
    first, second = await server.submit(**ONE_SIZE), await server.submit(**ONE_SIZE)
    await patch(server, second["id"], priority=51)
    await agent.report(running, "ended", reason="rank_exit", message="x")
    await agent.report(running, "clean")
    await server.one_pass()
    assert [(await server.job(job["id"]))["state"] for job in (first, second)] == ["queued", "starting"]


async def test_a_change_of_what_somebody_else_has_changed_meanwhile_is_refused(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    read = (await server.admin.get(f"/api/v1/jobs/{job['id']}")).headers["etag"]
    assert (await patch(server, job["id"], read, priority=60)).status_code == 200
    late = await patch(server, job["id"], read, priority=10)
    assert (late.status_code, late.json()["code"]) == (412, "changed_meanwhile")
    assert (await server.job(job["id"]))["priority"] == 60


async def test_the_same_again_changes_nothing_and_an_empty_name_is_made_anew(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE, name="mine")
    assert (await patch(server, job["id"], name="mine", priority=50)).headers["etag"] == '"1"'
    assert (await patch(server, job["id"], name="")).json()["name"] == "all_reduce ring on 2 ranks"


BAD: list[tuple[dict[str, object], str]] = [
    ({"priority": 101}, "/priority"),
    ({"priority": None}, "/priority"),
    ({"name": None}, "/name"),
    ({"labels": {"a": 1}}, "/labels/a"),
    ({"spec": {}}, "/spec"),
    ({"name": "x" * 201}, "/name"),
]


async def test_bad_input_names_the_field(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    for fields, pointer in BAD:
        response = await patch(server, job["id"], **fields)
        assert (response.status_code, [e["pointer"] for e in response.json()["errors"]]) == (422, [pointer])
    assert (await server.job(job["id"]))["revision"] == 1


async def test_an_ended_job_may_be_labelled_but_has_no_place_in_the_queue(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    await server.admin.post(f"/api/v1/jobs/{job['id']}/cancel")
    ended = server.services.monitoring.finished.copy()
    assert (await patch(server, job["id"], labels={"keep": "yes"})).json()["labels"] == {"keep": "yes"}
    assert server.services.monitoring.finished == ended, "it ends once"
    refused = await patch(server, job["id"], priority=1, name="x")
    assert (refused.status_code, refused.json()["code"]) == (409, "wrong_state")
    assert (await server.job(job["id"]))["name"] == job["name"]
    assert (await patch(server, 77, name="x")).status_code == 404
