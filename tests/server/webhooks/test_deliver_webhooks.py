"""Messages reach their receiver: signed, tried again, and nowhere that was not looked at."""

import asyncio
import logging
import ssl
import subprocess
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook as Signer
from standardwebhooks import WebhookVerificationError
from tests.server.conftest import Clock, Server
from tests.server.receiver import LOOPBACK, Receiver, answer, running_receiver

from ringscope_server.app import create_app
from ringscope_server.webhooks import courier, deliveries, sender
from ringscope_server.webhooks.courier import Courier
from ringscope_server.webhooks.deliveries import CLAIM, KEPT_FOR, RETRY_SECONDS
from ringscope_server.webhooks.sender import Answer

PATH = "/api/v1/webhooks"


@pytest.fixture(autouse=True)
def _loopback_is_allowed(server: Server) -> None:
    allow(server, LOOPBACK)


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with running_receiver() as running:
        yield running


def allow(server: Server, networks: list[str]) -> None:
    changed = {"webhook_private_addresses": networks}
    server.services.settings = server.services.settings.model_copy(update=changed)


async def make(server: Server, url: str, *events: str, name: str = "hook") -> dict[str, Any]:
    body = {"name": name, "url": url, "events": events or ("node.registered",)}
    response = await server.admin.post(PATH, json=body)
    assert response.status_code == 201, response.text
    webhook: dict[str, Any] = response.json()
    return webhook


async def send(server: Server) -> None:
    """Everything that is due, once."""
    one = Courier(server.services)
    await one.start_due()
    await one.settled()


async def delivered(server: Server, webhook: dict[str, Any]) -> list[dict[str, Any]]:
    """Deliveries, newest first."""
    response = await server.admin.get(f"{PATH}/{webhook['id']}/deliveries")
    items: list[dict[str, Any]] = response.json()["items"]
    return items


def make_certificate(folder: Path, name: str) -> None:
    command = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem")
    subject = ("-subj", "/CN=x", "-addext", f"subjectAltName=DNS:{name}")
    subprocess.run([*command, *subject], cwd=folder, check=True, capture_output=True)


async def test_a_message_is_signed_as_standard_webhooks_has_it(
    server: Server, clock: Clock, receiver: Receiver
) -> None:
    clock.go_to(datetime.now(UTC))  # the library takes messages of the last five minutes only
    webhook = await make(server, receiver.url(path="/in?key=1"))
    await server.node()
    await send(server)
    (message,) = receiver.messages
    told = Signer(webhook["secret"]).verify(message.body, message.headers)
    assert (told["type"], told["data"]["target_id"]) == ("node.registered", "n1")
    assert (message.path, message.headers["content-type"]) == ("/in?key=1", "application/json")
    assert message.headers["host"] == f"127.0.0.1:{receiver.port}"
    with pytest.raises(WebhookVerificationError):
        Signer(webhook["secret"]).verify(message.body + " ", message.headers)
    (delivery,) = await delivered(server, webhook)
    assert (delivery["state"], delivery["tries"], delivery["last_status"]) == ("delivered", 1, 204)
    assert (delivery["message_id"], delivery["next_attempt_at"]) == (message.headers["webhook-id"], None)
    await send(server)
    assert len(receiver.messages) == 1


async def test_a_test_message_is_sent_whatever_the_webhook_listens_to(server: Server, receiver: Receiver) -> None:
    webhook = await make(server, receiver.url(), "job.failed")
    made = await server.admin.post(f"{PATH}/{webhook['id']}/test")
    assert made.status_code == 201
    await send(server)
    assert [message.json["type"] for message in receiver.messages] == ["webhook.test"]


async def test_a_failed_try_is_repeated_ever_later_and_then_given_up(
    server: Server, clock: Clock, receiver: Receiver
) -> None:
    webhook = await make(server, receiver.url())
    await server.node()
    receiver.answers = [answer("500 Internal Server Error", "no\nroom <b>left</b>.")] * 20
    pauses = []
    while True:
        await send(server)
        (delivery,) = await delivered(server, webhook)
        if delivery["state"] != "pending":
            break
        due = datetime.fromisoformat(delivery["next_attempt_at"])
        pauses.append((due - clock.now).total_seconds())
        clock.go_to(due - timedelta(seconds=1))
        await send(server)
        clock.go_to(due)
    assert tuple(pauses) == RETRY_SECONDS
    assert (delivery["state"], delivery["tries"], len(receiver.messages)) == ("failed", 10, 10)
    assert (delivery["last_status"], delivery["last_error"]) == (500, "HTTP 500: no room <b>left</b>.")
    assert len({message.headers["webhook-id"] for message in receiver.messages}) == 1
    assert len({message.headers["webhook-timestamp"] for message in receiver.messages}) == 10


async def test_a_receiver_that_comes_back_gets_what_it_missed(server: Server, clock: Clock, receiver: Receiver) -> None:
    webhook = await make(server, receiver.url())
    receiver.answers = [answer("503 Service Unavailable")]
    await server.node()
    await send(server)
    clock.advance(RETRY_SECONDS[0])
    await send(server)
    (delivery,) = await delivered(server, webhook)
    assert (delivery["state"], delivery["tries"], delivery["last_error"]) == ("delivered", 2, "")


async def test_gone_disables_the_webhook(server: Server, receiver: Receiver) -> None:
    webhook = await make(server, receiver.url())
    receiver.answers = [answer("410 Gone")]
    await server.node()
    await send(server)
    assert (await delivered(server, webhook))[0]["state"] == "failed"
    read = (await server.admin.get(f"{PATH}/{webhook['id']}")).json()
    assert (read["is_enabled"], read["revision"]) == (False, 2)
    await server.node("n2")
    await send(server)
    assert len(receiver.messages) == 1


async def test_redirects_are_not_followed(server: Server, receiver: Receiver) -> None:
    webhook = await make(server, receiver.url())
    receiver.answers = [answer("302 Found", "", f"Location: {receiver.url(path='/elsewhere')}")]
    await server.node()
    await send(server)
    assert [message.path for message in receiver.messages] == ["/hook"]
    (delivery,) = await delivered(server, webhook)
    assert delivery["last_error"] == "HTTP 302: redirects are not followed; correct the URL."


async def test_little_of_an_endless_answer_is_read(
    server: Server, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "TIMEOUT_SECONDS", 100.0)
    webhook = await make(server, receiver.url())
    head = "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 1000000000\r\n\r\n"
    receiver.answers = [head + "x" * 100_000]
    await server.node()
    async with asyncio.timeout(sender.TIMEOUT_SECONDS / 2):
        await send(server)
    (delivery,) = await delivered(server, webhook)
    assert delivery["last_error"] == f"HTTP 500: {'x' * sender.SHOWN_CHARACTERS}."


async def test_a_receiver_that_hangs_ends_with_the_time_limit(
    server: Server, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "TIMEOUT_SECONDS", 0.2)
    webhook = await make(server, receiver.url(path="/silent"))
    await server.node()
    await send(server)
    (delivery,) = await delivered(server, webhook)
    assert (delivery["state"], delivery["last_error"]) == ("pending", "No answer within 0.2 s.")


async def test_a_receiver_that_hangs_holds_nobody_up(
    server: Server, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sender, "TIMEOUT_SECONDS", 100.0)
    slow = await make(server, receiver.url(path="/silent"))
    quick = await make(server, receiver.url(), name="quick")
    for webhook in [slow] * courier.AT_ONCE + [quick] * 3:
        await server.admin.post(f"{PATH}/{webhook['id']}/test")
    one = Courier(server.services)
    async with asyncio.timeout(sender.TIMEOUT_SECONDS / 2):
        while [item["state"] for item in await delivered(server, quick)] != ["delivered"] * 3:
            await one.start_due()
            await one.pause()
    assert sum(item["tries"] for item in await delivered(server, slow)) == deliveries.AT_ONCE_TO_ONE
    await one.stop()
    assert {item["state"] for item in await delivered(server, slow)} == {"pending"}


async def test_nobody_listening_is_told(server: Server, receiver: Receiver) -> None:
    webhook = await make(server, "http://127.0.0.1:1/")
    await server.node()
    await send(server)
    (delivery,) = await delivered(server, webhook)
    assert (delivery["state"], delivery["last_status"]) == ("pending", None)
    assert delivery["last_error"].startswith("No answer: ")


async def test_a_name_that_moves_inside_after_its_making_is_not_followed(server: Server, receiver: Receiver) -> None:
    """A name server that gives a public address to the check and a private one to the connection."""
    answers = [["8.8.8.8"], ["127.0.0.1"]]

    async def resolve(host: str, port: int) -> list[str]:
        return answers.pop(0)

    allow(server, [])
    server.services.resolve = resolve
    webhook = await make(server, receiver.url("rebind.example.com"))
    await server.node()
    await send(server)
    assert (receiver.messages, answers) == ([], [])
    (delivery,) = await delivered(server, webhook)
    assert delivery["last_error"].startswith("rebind.example.com is 127.0.0.1, which is not a public address")


async def test_the_connection_goes_to_the_address_that_was_looked_at(server: Server, receiver: Receiver) -> None:
    """The name is looked up once for each try, and never again for the connection."""
    asked = []

    async def resolve(host: str, port: int) -> list[str]:
        asked.append((host, port))
        return ["::1", "127.0.0.1"]  # nobody listens at the first one

    server.services.resolve = resolve
    webhook = await make(server, receiver.url("no-such-name.invalid"))
    await server.node()
    await send(server)
    (message,) = receiver.messages
    assert message.headers["host"] == f"no-such-name.invalid:{receiver.port}"
    assert asked == [("no-such-name.invalid", receiver.port)] * 2  # when it was made, and when it was sent
    assert (await delivered(server, webhook))[0]["state"] == "delivered"


@pytest.mark.parametrize(("name", "is_right"), [("hook.invalid", True), ("other.invalid", False)])
async def test_the_certificate_must_be_that_of_the_name(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, is_right: bool
) -> None:
    make_certificate(tmp_path, "hook.invalid")
    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    theirs.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    ours = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    monkeypatch.setattr(sender, "_tls", lambda: ours)

    async def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    server.services.resolve = resolve
    async with running_receiver(theirs) as receiver:
        webhook = await make(server, receiver.url(name, scheme="https"))
        await server.node()
        await send(server)
        (delivery,) = await delivered(server, webhook)
    assert len(receiver.messages) == is_right
    if not is_right:
        assert "certificate is not valid for 'other.invalid'" in delivery["last_error"]


async def test_two_servers_send_a_message_once(server: Server, receiver: Receiver) -> None:
    await make(server, receiver.url())
    for number in range(10):
        await server.node(f"n{number}")
    couriers = [Courier(server.services) for _ in range(3)]
    for _ in range(4):
        await asyncio.gather(*(one.start_due() for one in couriers))
        await asyncio.gather(*(one.settled() for one in couriers))
    sent = [message.headers["webhook-id"] for message in receiver.messages]
    assert (len(sent), len(set(sent))) == (10, 10)


async def test_what_a_dead_server_had_claimed_comes_due_again(server: Server, clock: Clock, receiver: Receiver) -> None:
    webhook = await make(server, receiver.url())
    await server.node()
    async with server.services.database.write() as session:
        (claimed,) = await deliveries.claim(session, clock(), 10, {})  # and then it dies
    await send(server)
    assert receiver.messages == []
    clock.go_to(clock.now + CLAIM)
    await send(server)
    assert len(receiver.messages) == 1
    async with server.services.database.write() as session:
        await deliveries.settle(session, claimed, Answer(500, "too late"), clock())  # it was only slow
    (delivery,) = await delivered(server, webhook)
    assert (delivery["state"], delivery["tries"], delivery["last_status"]) == ("delivered", 2, 204)


async def test_old_deliveries_are_dropped_and_what_waits_is_kept(
    server: Server, clock: Clock, receiver: Receiver
) -> None:
    webhook = await make(server, receiver.url())
    await server.node()
    await send(server)
    clock.go_to(clock.now + KEPT_FOR)
    one = Courier(server.services)
    await one.prune_now_and_then()
    assert len(await delivered(server, webhook)) == 1
    await server.node("n2")
    clock.go_to(clock.now + timedelta(hours=1))
    await one.prune_now_and_then()
    assert [item["state"] for item in await delivered(server, webhook)] == ["pending"]


async def test_no_log_holds_a_secret(
    server: Server, receiver: Receiver, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> None:
        raise RuntimeError("a mistake")

    webhook = await make(server, receiver.url(path="/in?key=hush"))
    logging.getLogger("httpx").setLevel(logging.WARNING)  # as __main__ does
    with caplog.at_level(logging.INFO):
        await server.node()
        await send(server)
        monkeypatch.setattr(deliveries, "settle", fails)
        await server.node("n2")
        await send(server)
    assert "Delivery" in caplog.text
    assert "hush" not in caplog.text
    assert webhook["secret"] not in caplog.text


async def test_a_running_server_delivers_by_itself(server: Server, receiver: Receiver) -> None:
    app = create_app(server.services)
    await make(server, receiver.url())
    async with app.lifespan_context(app):
        await server.node()
        async with asyncio.timeout(60):
            await receiver.arrived.wait()
