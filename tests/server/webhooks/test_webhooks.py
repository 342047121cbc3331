"""/webhooks: made, read, changed, removed; the outbox that events fill."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import select
from tests.server.conftest import ONE_SIZE, Clock, Server

from ringscope_server.db.models import Event, Webhook, WebhookDelivery
from ringscope_server.events import audit
from ringscope_server.users import tokens
from ringscope_server.webhooks import service

PATH = "/api/v1/webhooks"
HOOK = {"name": "pager", "url": "https://hooks.example.com/in?key=hush", "events": ["job.failed", "node.*"]}


@pytest.fixture(autouse=True)
def _names(server: Server) -> None:
    """A name server that knows every name."""

    async def resolve(host: str, port: int) -> list[str]:
        return ["8.8.8.8"] if host.endswith("example.com") else [host.strip("[]")]

    server.services.resolve = resolve


async def make(server: Server, **more: Any) -> dict[str, Any]:
    response = await server.admin.post(PATH, json=HOOK | more)
    assert response.status_code == 201, response.text
    webhook: dict[str, Any] = response.json()
    return webhook


async def outbox(server: Server) -> list[WebhookDelivery]:
    async with server.services.database.read() as session:
        return list(await session.scalars(select(WebhookDelivery).order_by(WebhookDelivery.id)))


async def test_the_secret_is_shown_once(server: Server) -> None:
    made = await make(server)
    secret = made.pop("secret")
    assert secret.startswith("whsec_")
    read = await server.admin.get(f"{PATH}/{made['id']}")
    assert (read.json(), read.headers["etag"]) == (made, '"1"')
    changed = await server.admin.put(f"{PATH}/{made['id']}", json=HOOK | {"name": "other"})
    for response in (read, changed, await server.admin.get(PATH)):
        assert secret not in response.text
    async with server.services.database.read() as session:
        events = [str(vars(event)) for event in await session.scalars(select(Event))]
    assert not any(secret in event or "hush" in event for event in events)


async def test_two_webhooks_have_two_secrets(server: Server) -> None:
    assert (await make(server))["secret"] != (await make(server, name="other"))["secret"]


async def test_a_repeated_key_makes_one_webhook_and_gives_the_same_answer(server: Server) -> None:
    headers = {"Idempotency-Key": "k1"}
    first = await server.admin.post(PATH, json=HOOK, headers=headers)
    again = await server.admin.post(PATH, json=HOOK, headers=headers)
    assert again.json() == first.json()
    assert len((await server.admin.get(PATH)).json()["items"]) == 1


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"events": ["job.exploded"]}, "/events/0", "there is no event 'job.exploded'; choose one of job.*, job."),
    ({"events": ["*.failed"]}, "/events/0", "there is no event '*.failed'; choose *, job.*,"),
    ({"events": ["job.*", "cat.*"]}, "/events/1", "there is no event 'cat.*'"),
    ({"events": []}, "/events", "the list is empty"),
    ({"name": "a\r\nX-Evil: yes"}, "/name", "control characters"),
    ({"url": "https://a.example.com/\r\nX-Evil: yes"}, "/url", "no spaces, backslashes or control characters"),
    ({"url": "https://u:p@example.com/"}, "/url", "must not hold a user or password"),
    ({"url": "ftp://example.com/"}, "/url", "must begin with https:// or http://"),
    ({"url": "http://169.254.169.254/latest"}, "/url", "169.254.169.254 is not a public address"),
    ({"url": "http://127.0.0.1:8000/"}, "/url", "or start the server with --webhook-private-addresses 127.0.0.1, or"),
    ({"url": "http://[::ffff:10.0.0.1]/"}, "/url", "--webhook-private-addresses 10.0.0.1, or with its network."),
    ({"secret": "whsec_mine"}, "/secret", "there is no such field"),
]


async def test_bad_input_names_the_field_and_the_remedy(server: Server) -> None:
    made = await make(server, name="other")
    for change, pointer, words in BAD:
        for response in (
            await server.admin.post(PATH, json=HOOK | change),
            await server.admin.put(f"{PATH}/{made['id']}", json=HOOK | change),
        ):
            assert response.status_code == 422
            assert [error["pointer"] for error in response.json()["errors"]] == [pointer]
            assert words in response.json()["detail"]
    assert [item["name"] for item in (await server.admin.get(PATH)).json()["items"]] == ["other"]


async def test_an_address_that_is_allowed_in_the_settings_is_taken(server: Server) -> None:
    allowed = {"webhook_private_addresses": ["10.0.0.0/8"]}
    server.services.settings = server.services.settings.model_copy(update=allowed)
    await make(server, url="http://10.1.2.3/")


async def test_two_webhooks_never_have_one_name(server: Server) -> None:
    await make(server)
    taken = await server.admin.post(PATH, json=HOOK)
    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")


async def test_a_change_of_an_old_revision_is_refused(server: Server) -> None:
    path = f"{PATH}/{(await make(server))['id']}"
    assert (await server.admin.put(path, json=HOOK | {"name": "b"}, headers={"If-Match": '"1"'})).json()[
        "revision"
    ] == 2
    late = await server.admin.put(path, json=HOOK, headers={"If-Match": '"1"'})
    assert (late.status_code, late.json()["code"]) == (412, "changed_meanwhile")
    assert (await server.admin.delete(path, headers={"If-Match": '"1"'})).status_code == 412


async def test_only_admins_see_webhooks(server: Server, clock: Clock) -> None:
    path = f"{PATH}/{(await make(server))['id']}"
    async with server.services.database.write() as session:
        operator = server.client(await tokens.create(session, "eve", "personal", "operator", clock(), None))
    for response in (
        await operator.get(PATH),
        await operator.get(path),
        await operator.get(f"{path}/deliveries"),
        await operator.post(PATH, json=HOOK),
        await operator.put(path, json=HOOK),
        await operator.post(f"{path}/test"),
        await operator.post(f"{path}/deliveries/1/redeliver"),
        await operator.delete(path),
    ):
        assert response.status_code == 403


async def test_an_event_writes_one_delivery_for_each_webhook_that_listens(server: Server) -> None:
    pager = await make(server, events=["job.submitted"])
    everything = await make(server, name="everything", events=["*"])
    await make(server, name="off", events=["*"], is_enabled=False)
    await make(server, name="other", events=["node.lost"])
    await server.node()
    before = len(await outbox(server))
    job = await server.submit(**ONE_SIZE)
    new = (await outbox(server))[before:]
    assert [(d.webhook_id, d.event_type, d.state) for d in new] == [
        (pager["id"], "job.submitted", "pending"),
        (everything["id"], "job.submitted", "pending"),
    ]
    body = json.loads(new[0].body)
    assert (body["type"], body["timestamp"]) == ("job.submitted", "2026-01-01T00:00:00+00:00")
    told = body["data"]
    assert (told["actor"], told["target_type"], told["target_id"]) == ("admin", "job", str(job["id"]))
    assert told["job"] == await server.job(job["id"])
    assert new[0].message_id != new[1].message_id


async def test_a_job_is_told_as_it_stands_at_the_end_of_the_transaction(server: Server) -> None:
    await make(server, events=["job.*"])
    agent = await server.node()
    await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    told = [json.loads(delivery.body) for delivery in await outbox(server)]
    assert [message["type"] for message in told] == ["job.submitted", "job.starting", "job.running"]
    assert [message["data"]["job"]["state"] for message in told] == ["queued", "starting", "running"]
    assert told[1]["data"]["job"]["attempts"][0]["id"] == attempt


async def test_what_is_rolled_back_is_told_to_nobody(server: Server, clock: Clock) -> None:
    await make(server, events=["*"])
    before = len(await outbox(server))
    with pytest.raises(RuntimeError):
        async with server.services.database.write() as session:
            audit.record(session, clock(), "eve", "node.lost", ("node", "n1"))
            raise RuntimeError
    async with server.services.database.write() as session:
        with pytest.raises(RuntimeError):
            async with session.begin_nested():
                audit.record(session, clock(), "eve", "node.lost", ("node", "n1"))
                raise RuntimeError
        audit.record(session, clock(), "eve", "node.back", ("node", "n1"))
    assert [delivery.event_type for delivery in (await outbox(server))[before:]] == ["node.back"]


async def test_the_first_webhook_is_noticed_and_one_that_stays_is_not_forgotten(server: Server) -> None:
    await server.node("n1")  # nobody listens
    made = await make(server)
    with pytest.raises(RuntimeError):
        async with server.services.database.write() as session:
            await service.delete(session, await session.get_one(Webhook, made["id"]), "eve", server.clock())
            for complete in server.services.database.before_commit:
                await complete(session)  # as far as the commit, which then fails
            raise RuntimeError
    await server.node("n2")
    assert [json.loads(delivery.body)["data"]["target_id"] for delivery in await outbox(server)] == ["n2"]
    off = HOOK | {"is_enabled": False}
    await server.admin.put(f"{PATH}/{made['id']}", json=off)
    await server.node("n3")
    await server.admin.put(f"{PATH}/{made['id']}", json=HOOK)
    await server.node("n4")
    assert [json.loads(delivery.body)["data"]["target_id"] for delivery in await outbox(server)] == ["n2", "n4"]


async def test_disabling_gives_up_what_waits(server: Server) -> None:
    path = f"{PATH}/{(await make(server))['id']}"
    await server.node()
    await server.admin.put(path, json=HOOK | {"is_enabled": False})
    (waited,) = (await server.admin.get(f"{path}/deliveries")).json()["items"]
    assert (waited["state"], waited["next_attempt_at"]) == ("failed", None)
    assert waited["last_error"] == "The webhook was disabled."
    await server.node("n2")
    assert len((await server.admin.get(f"{path}/deliveries")).json()["items"]) == 1
    for refused in (
        await server.admin.post(f"{path}/test"),
        await server.admin.post(f"{path}/deliveries/{waited['id']}/redeliver"),
    ):
        assert (refused.status_code, refused.json()["code"]) == (409, "wrong_state")
        assert "is disabled; enable it first" in refused.json()["detail"]


async def test_a_removed_webhook_takes_its_deliveries_along(server: Server) -> None:
    path = f"{PATH}/{(await make(server))['id']}"
    await server.node()
    assert len(await outbox(server)) == 1
    assert (await server.admin.delete(path)).status_code == 204
    assert await outbox(server) == []
    for gone in (await server.admin.get(path), await server.admin.get(f"{path}/deliveries")):
        assert gone.status_code == 404


async def test_every_change_is_an_event(server: Server) -> None:
    path = f"{PATH}/{(await make(server))['id']}"
    await server.admin.put(path, json=HOOK | {"name": "b", "events": ["*"]})
    await server.admin.post(f"{path}/test")
    await server.admin.delete(path)
    async with server.services.database.read() as session:
        events = await session.scalars(select(Event).where(Event.target_type == "webhook").order_by(Event.id))
        said = [(event.actor, event.action, event.before, event.after, event.message) for event in events]
    assert said[0] == ("admin", "webhook.created", None, "pager", "")
    assert said[1][1:] == (
        "webhook.changed",
        '{"name": "pager", "events": ["job.failed", "node.*"]}',
        '{"name": "b", "events": ["*"]}',
        "Changed: name, events.",
    )
    assert (said[2][1], said[3]) == ("webhook.tested", ("admin", "webhook.deleted", "b", None, ""))


async def test_redelivery_is_the_same_message_as_a_new_delivery(server: Server) -> None:
    path = f"{PATH}/{(await make(server))['id']}"
    await server.node()
    (old,) = (await server.admin.get(f"{path}/deliveries")).json()["items"]
    headers = {"Idempotency-Key": "k1"}
    new = await server.admin.post(f"{path}/deliveries/{old['id']}/redeliver", headers=headers)
    again = await server.admin.post(f"{path}/deliveries/{old['id']}/redeliver", headers=headers)
    assert (new.status_code, again.json()) == (201, new.json())
    assert new.json()["id"] != old["id"]
    assert [new.json()[name] for name in ("message_id", "body", "event_type", "state")] == [
        old["message_id"],
        old["body"],
        old["event_type"],
        "pending",
    ]
    other = await make(server, name="other")
    foreign = await server.admin.post(f"{PATH}/{other['id']}/deliveries/{old['id']}/redeliver")
    assert foreign.status_code == 404


async def test_deliveries_come_in_pages(server: Server, clock: Clock) -> None:
    clock.go_to(datetime(2026, 2, 1, tzinfo=UTC))
    path = f"{PATH}/{(await make(server))['id']}/deliveries"
    for name in ("n1", "n2", "n3"):
        await server.node(name)
    first = (await server.admin.get(path, params={"limit": 2})).json()
    rest = (await server.admin.get(path, params={"limit": 2, "cursor": first["next"]})).json()
    told = [json.loads(item["body"])["data"]["target_id"] for item in first["items"] + rest["items"]]
    assert (told, rest["next"]) == (["n3", "n2", "n1"], None)
