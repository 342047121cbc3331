"""Every change by a user is an event."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute, iter_route_contexts
from tests.server.conftest import ONE_SIZE, Server

# The event that each operation which changes something writes, whoever calls it.
WRITES = {
    "create_job": "job.submitted",
    "cancel_job": "job.cancelled",
    "hold_job": "job.held",
    "release_job": "job.queued",
    "edit_job": "job.changed",
    "retry_job": "job.submitted",
    "clone_job": "job.submitted",
    "create_imports": "job.imported",
    "adopt_job": "job.adopted",
    "disown_job": "job.disowned",
    "update_node": "node.labelled",
    "drain_node": "node.drained",
    "resume_node": "node.resumed",
    "release_slot": "node.slot_released",
    "remove_node": "node.removed",
    "join_agent": "node.joined",
    "register_agent": "node.registered",
    "leave_agent": "node.left",
    "report_agent": "job.running",
    "create_schedule": "schedule.created",
    "replace_schedule": "schedule.changed",
    "delete_schedule": "schedule.deleted",
    "run_schedule": "schedule.run",
    "create_webhook": "webhook.created",
    "replace_webhook": "webhook.changed",
    "delete_webhook": "webhook.deleted",
    "test_webhook": "webhook.tested",
    "redeliver": "webhook.redelivered",
    "create_token": "token.created",
    "rotate_token": "token.rotation_wanted",
    "revoke_token": "token.revoked",
    "create_login_link": "login_link.created",
    "create_share_link": "token.created",
    "create_session": "session.created",
    "delete_session": "session.ended",
}
# Asked for with POST, as there is much to say, or told by an agent about what goes on anyway. A token is rotated once
# the new one is used.
CHANGES_NOTHING = {
    "poll_agent",
    "rotate_agent_token",
    "pulse_agent",
    "ingest_records",
    "plan_queue",
    "predict_job",
    "predict_training",
}
CHANGES_NOTHING |= {"plan_prices", "plan_sensitivity", "trace_example", "trace_perfetto", "preview_imports"}
CHANGES_NOTHING |= {"preview_search", "explain_files"}


def test_every_operation_that_is_no_get_is_known_here_with_its_event(server: Server) -> None:
    walked = 0
    for context in iter_route_contexts(server.api.routes):
        route = context.original_route
        if isinstance(route, APIRoute) and route.include_in_schema and route.methods != {"GET"}:
            walked += 1
            assert route.operation_id in WRITES.keys() | CHANGES_NOTHING, (
                f"{route.operation_id} changes something: write an event, name it here, and test it"
            )
    assert walked >= 10


async def submitted(server: Server) -> str:
    await server.node()
    return f"/api/v1/jobs/{(await server.submit(**ONE_SIZE))['id']}"


async def create_job(server: Server) -> httpx.Response:
    await server.node()
    return await server.admin.post("/api/v1/jobs", json=ONE_SIZE)


async def cancel_job(server: Server) -> httpx.Response:
    return await server.admin.post(f"{await submitted(server)}/cancel")


async def create_token(server: Server) -> httpx.Response:
    return await server.admin.post("/api/v1/tokens", json={"name": "eve", "role": "viewer"})


async def revoke_token(server: Server) -> httpx.Response:
    made = (await create_token(server)).json()
    return await server.admin.delete(f"/api/v1/tokens/{made['id']}")


async def rotate_token(server: Server) -> httpx.Response:
    spec = {"name": "n1", "kind": "agent", "node": "n1"}
    made = (await server.admin.post("/api/v1/tokens", json=spec)).json()
    return await server.admin.post(f"/api/v1/tokens/{made['id']}/rotate")


async def create_login_link(server: Server) -> httpx.Response:
    return await server.admin.post("/api/v1/login-links")


async def create_share_link(server: Server) -> httpx.Response:
    return await server.admin.post("/api/v1/share-links", json={"next": "/jobs/1"})


async def logged_in(server: Server) -> tuple[httpx.AsyncClient, httpx.Response]:
    browser = server.client()
    secret = server.admin.headers["authorization"].removeprefix("Bearer ")
    return browser, await browser.post("/api/v1/session", json={"token": secret})


async def create_session(server: Server) -> httpx.Response:
    return (await logged_in(server))[1]


async def delete_session(server: Server) -> httpx.Response:
    browser, _ = await logged_in(server)
    return await browser.delete("/api/v1/session", headers={"X-Ringscope-Client": "web"})


SCHEDULE = {"name": "nightly", "cron": "0 2 * * *", "spec": ONE_SIZE}
HOOK = {"name": "pager", "url": "https://93.184.216.34/hooks/secret-1?key=secret-2", "events": ["job.*"]}


async def replace_schedule(server: Server) -> httpx.Response:
    made = (await server.admin.post("/api/v1/schedules", json=SCHEDULE)).json()
    changed = SCHEDULE | {"cron": "0 3 * * *", "spec": ONE_SIZE | {"priority": 70}}
    return await server.admin.put(f"/api/v1/schedules/{made['id']}", json=changed)


async def replace_webhook(server: Server) -> httpx.Response:
    made = (await server.admin.post("/api/v1/webhooks", json=HOOK)).json()
    changed = HOOK | {"url": "https://93.184.216.34:8443/secret-3", "is_enabled": False}
    return await server.admin.put(f"/api/v1/webhooks/{made['id']}", json=changed)


async def edit_job(server: Server) -> httpx.Response:
    return await server.admin.patch(await submitted(server), json={"priority": 70, "labels": {"team": "a"}})


# What the event says of it, before and after: of fields in JSON those that differ, else one word.
SAYS = {
    "replace_schedule": (
        {"cron": "0 2 * * *", "spec": {"priority": 50}},
        {"cron": "0 3 * * *", "spec": {"priority": 70}},
    ),
    "replace_webhook": (
        {"url": "https://93.184.216.34/…", "is_enabled": True},
        {"url": "https://93.184.216.34:8443/…", "is_enabled": False},
    ),
    "edit_job": ({"priority": 50, "labels": {}}, {"priority": 70, "labels": {"team": "a"}}),
    "cancel_job": ("queued", "cancelled"),
    "create_token": (None, "viewer"),
    "revoke_token": ("viewer", None),
    "create_login_link": (None, "admin"),
    "create_share_link": (None, "viewer"),
    "create_session": (None, "admin"),
}

CALLS: tuple[Callable[[Server], Awaitable[httpx.Response]], ...] = (
    create_job,
    cancel_job,
    edit_job,
    replace_schedule,
    replace_webhook,
    create_token,
    rotate_token,
    revoke_token,
    create_login_link,
    create_share_link,
    create_session,
    delete_session,
)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
async def test_a_change_names_who_made_it(server: Server, call: Callable[[Server], Awaitable[httpx.Response]]) -> None:
    response = await call(server)
    assert response.is_success, response.text
    newest = (await server.admin.get("/api/v1/events", params={"limit": 1})).json()["items"][0]
    assert (newest["actor"], newest["action"]) == ("admin", WRITES[call.__name__])
    if expected := SAYS.get(call.__name__):
        assert tuple(read(newest[side]) for side in ("before", "after")) == expected
    assert "secret" not in str(newest)


def read(side: str | None) -> Any:
    """Fields, or one word."""
    return json.loads(side) if side is not None and side.startswith("{") else side


async def test_a_change_that_is_refused_leaves_no_event(server: Server) -> None:
    before = (await server.admin.get("/api/v1/events")).json()["items"]
    refused = [
        await server.admin.post("/api/v1/jobs", json=ONE_SIZE),
        await server.admin.post("/api/v1/jobs/7/cancel"),
        await server.admin.delete("/api/v1/tokens/1"),
        await server.client().post("/api/v1/session", json={"token": "rs_wrong"}),
    ]
    assert [answer.status_code for answer in refused] == [422, 404, 409, 401]
    assert (await server.admin.get("/api/v1/events")).json()["items"] == before
