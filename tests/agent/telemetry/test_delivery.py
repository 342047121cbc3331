"""The promises of the wire: order, gaps, refusals, a server in trouble; against a real HTTP server."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from tests.agent.fake_server import TOKEN, FakeServer

from ringscope.contracts.inventory import Inventory
from ringscope.contracts.protocol import Registration, Report
from ringscope_agent import client as agent_client
from ringscope_agent.client import RejectedError, ServerClient, TokenRefusedError
from ringscope_agent.telemetry.delivery import Delivery
from ringscope_agent.telemetry.spool import SpoolReader, SpoolWriter

REGISTRATION = Registration(
    name="rack 1 n1",
    address="127.0.0.1",
    slots=1,
    metrics_address="127.0.0.1:1",
    inventory=Inventory(hostname="h", os="o", cpu_model="c", cores=1, memory_bytes=1),
    versions={},
)


@pytest.fixture
async def client(server: FakeServer) -> AsyncIterator[ServerClient]:
    client = ServerClient(server.url, TOKEN, REGISTRATION)
    await client.register()
    yield client
    await client.close()


class Sending:
    """A delivery that runs, its spool, and what the server refused."""

    def __init__(self, client: ServerClient, folder: Path) -> None:
        self.writer = SpoolWriter(folder)
        self.spool = SpoolReader(folder)
        self.refused: list[int] = []
        self.delivery = Delivery(client, 7, self.spool, self.refused.append)
        self.task = asyncio.create_task(self.delivery.run())

    def put(self, *texts: str) -> None:
        for text in texts:
            self.writer.append(b'{"n":"%s"}' % text.encode())
        self.spool.read_new()
        self.delivery.notice_records()


@pytest.fixture
async def sending(client: ServerClient, tmp_path: Path) -> AsyncIterator[Sending]:
    sending = Sending(client, tmp_path)
    yield sending
    sending.task.cancel()
    await asyncio.gather(sending.task, return_exceptions=True)
    sending.spool.close()
    sending.writer.close()


async def poll_on(client: ServerClient) -> None:
    while True:
        await client.poll(-1)


def names(server: FakeServer) -> list[str]:
    return [record.get("n") or record["text"] for record in server.records[7]]


async def test_records_arrive_once_and_in_order(server: FakeServer, sending: Sending) -> None:
    sending.put("a", "b")
    await server.wait_until(lambda: names(server) == ["a", "b"])
    sending.put("c")
    await sending.delivery.flush_records()
    assert names(server) == ["a", "b", "c"]
    assert sending.spool.acknowledged == 3


async def test_a_gap_on_the_server_is_filled_again(server: FakeServer, sending: Sending) -> None:
    sending.put("a", "b", "c")
    await server.wait_until(lambda: len(names(server)) == 3)
    del server.records[7][1:]
    sending.put("d")
    await sending.delivery.flush_records()
    assert names(server) == ["a", "b", "c", "d"]


async def test_an_unreliable_server_is_asked_again(server: FakeServer, sending: Sending) -> None:
    server.failures_to_give = 3
    sending.put("a")
    sending.delivery.report(Report(epoch=0, attempt_id=7, event="ready"))
    sending.delivery.report(Report(epoch=0, attempt_id=7, event="running"))
    await sending.delivery.flush_records()
    await sending.delivery.flush_reports()
    assert names(server) == ["a"]
    assert [(report.event, report.epoch) for report in server.reports] == [("ready", 1), ("running", 1)]


STRANGERS = [(200, "text/html"), (200, "application/json"), (302, "text/html"), (403, "text/html")]
STRANGERS += [(401, "application/json"), (404, "text/html"), (404, "application/json"), (413, "text/html")]


@pytest.mark.parametrize(("status", "kind"), STRANGERS)
async def test_what_a_proxy_says_in_the_servers_place_costs_no_record_and_no_agent(
    server: FakeServer, sending: Sending, status: int, kind: str
) -> None:
    server.strangers, server.strange_kind = [status] * (1 if status == 413 else 2), kind
    sending.put("a", "b")
    await sending.delivery.flush_records()
    assert (names(server), sending.refused) == (["a", "b"], [])


@pytest.mark.parametrize(("status", "kind"), [(200, "text/html"), (200, "application/json"), (404, "text/html")])
async def test_what_a_proxy_says_in_the_servers_place_costs_no_report(
    server: FakeServer, sending: Sending, status: int, kind: str
) -> None:
    server.strangers, server.strange_kind = [status], kind
    sending.delivery.report(Report(epoch=0, attempt_id=7, event="clean"))
    await sending.delivery.flush_reports()
    assert [report.event for report in server.reports] == ["clean"]


@pytest.mark.parametrize("status", [200, 401, 404])
async def test_an_agent_that_was_here_before_is_not_ended_by_a_proxy(server: FakeServer, status: int) -> None:
    server.strangers = [status]
    client = ServerClient(server.url, TOKEN, REGISTRATION, was_here=True)
    assert (await client.register()).epoch == 1
    await client.close()


async def test_a_request_that_is_too_large_is_sent_in_parts(server: FakeServer, sending: Sending) -> None:
    server.takes_records = 2
    sending.put(*"abcdefghi")
    await sending.delivery.flush_records()
    assert (names(server), sending.refused) == (list("abcdefghi"), [])


async def test_requests_grow_again_once_they_are_taken(server: FakeServer, sending: Sending) -> None:
    server.takes_records = 1
    sending.put("a", "b")
    await sending.delivery.flush_records()
    server.takes_records = 1000
    before = server.record_requests
    sending.put(*map(str, range(60)))
    await sending.delivery.flush_records()
    assert names(server)[2:] == [*map(str, range(60))]
    assert server.record_requests - before < 10


@pytest.mark.parametrize("status", [413, 422, 403])
async def test_one_record_that_nobody_takes_costs_no_other(
    server: FakeServer, client: ServerClient, sending: Sending, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_client, "FILTERED_SECONDS", 0.0)
    server.dislikes = {b"evil": status}
    polling = asyncio.create_task(poll_on(client))
    sending.put("a", "evil", "b", "c")
    await sending.delivery.flush_records()
    polling.cancel()
    first, told, *later = names(server)
    assert (first, later, sending.refused) == ("a", ["b", "c"], [1])
    assert told.startswith("A record (None) of 12 bytes was refused: ") and str(status) in told


async def test_a_firewall_between_is_given_time_to_change_its_mind(
    server: FakeServer, client: ServerClient, sending: Sending
) -> None:
    server.dislikes = {b"evil": 403}
    sending.put("evil")
    while server.record_requests < 3:
        await client.poll(-1)
    server.dislikes = {}
    await sending.delivery.flush_records()
    assert (names(server), sending.refused) == (["evil"], [])


async def test_records_that_the_server_lost_go_before_the_word_that_these_were_all(
    server: FakeServer, sending: Sending
) -> None:
    sending.put("a", "b", "c")
    await sending.delivery.flush_records()
    del server.records[7][1:]
    sending.delivery.report(Report(epoch=0, attempt_id=7, event="clean", last_sequence=3))
    await sending.delivery.flush_reports()
    assert names(server) == ["a", "b", "c"]
    assert [(report.event, report.last_sequence) for report in server.reports] == [("clean", 3)]


async def test_when_one_of_several_servers_dies_the_next_takes_over(server: FakeServer) -> None:
    other = FakeServer()
    await other.start()
    other.epoch = 1  # as on the first, since they share a database
    client = ServerClient(f"{server.url},{other.url}", TOKEN, REGISTRATION)
    await client.register()
    await client.report(Report(epoch=0, attempt_id=7, event="ready"))
    await server.stop()
    await client.report(Report(epoch=0, attempt_id=7, event="running"))
    await client.report(Report(epoch=0, attempt_id=7, event="ended"))
    assert [report.event for report in server.reports] == ["ready"]
    assert [report.event for report in other.reports] == ["running", "ended"]
    assert other.registrations == []
    await client.close()
    await server.start()
    await other.stop()


async def test_records_that_are_refused_for_good_do_not_hold_up_the_end(server: FakeServer, sending: Sending) -> None:
    server.rejects_records = True
    sending.put("a", "b")
    await sending.delivery.flush_records()
    assert sending.refused == [2]
    assert sending.spool.acknowledged == 0


async def test_an_old_epoch_is_renewed_once_for_all_calls(server: FakeServer, client: ServerClient) -> None:
    server.epoch += 5
    reports = [client.report(Report(epoch=0, attempt_id=7, event="ready")) for _ in range(3)]
    await asyncio.gather(*reports, client.poll(server.revision))
    assert len(server.registrations) == 2
    assert {report.epoch for report in server.reports} == {server.epoch}


async def test_after_a_new_registration_nothing_counts_as_seen(server: FakeServer, client: ServerClient) -> None:
    server.epoch += 5
    server.poll_seconds = 60  # how long a poll that had seen everything would be held
    async with asyncio.timeout(30):
        directives = await client.poll(server.revision)
    assert directives.assignments == []


async def test_a_refused_token_and_a_rejected_request_are_no_reason_to_retry(server: FakeServer) -> None:
    stranger = ServerClient(server.url, "nonsense", REGISTRATION)
    with pytest.raises(TokenRefusedError):
        await stranger.register()
    await stranger.close()
    lost = ServerClient(f"{server.url}/elsewhere", TOKEN, REGISTRATION)
    with pytest.raises(RejectedError, match="404"):
        await lost.register()
    await lost.close()


async def test_an_answer_of_another_version_is_said_to_be_one() -> None:
    other = httpx.MockTransport(lambda _: httpx.Response(200, json={"node": "n1"}))
    client = ServerClient("http://server", TOKEN, REGISTRATION, transport=other)
    with pytest.raises(RejectedError, match="no Registered that this agent knows"):
        await client.register()
    await client.close()
