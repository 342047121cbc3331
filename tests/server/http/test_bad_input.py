"""Bad input of any kind gets a clear 4xx, never a 500, and nothing is half-written."""

import gzip
import json
from collections.abc import AsyncIterator
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from sqlalchemy import update
from tests.server.conftest import ONE_SIZE, Clock, Server, running_server

from ringscope.contracts.protocol import Pulse, RankPulse
from ringscope_server.db.models import Job
from ringscope_server.http.cursors import encode
from ringscope_server.http.middleware.json_text import findings, mended
from ringscope_server.http.middleware.request_body import MEDIUM_BYTES, SMALL_BYTES

JOBS = "/api/v1/jobs"
JSON = {"Content-Type": "application/json"}
BEYOND_64_BIT = (2**63, -(2**63) - 1, 10**30)


def problem(response: httpx.Response, status: int) -> dict[str, Any]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = response.json()
    assert found["detail"]
    assert "Traceback" not in response.text
    return found


async def nothing_was_made(server: Server) -> bool:
    jobs = (await server.admin.get(JOBS)).json()["items"]
    events = (await server.admin.get("/api/v1/events", params={"action": "job.*"})).json()["items"]
    return jobs == events == []


# The body is no JSON, or none that can be kept.


MALFORMED = (b"{", b"[1,", b'{"name": tru}', b'"', b"\xff\xfe{", b"[" * 60_000, b'{"priority": %s}' % (b"9" * 5000))


async def test_malformed_json_and_json_that_is_no_object(server: Server) -> None:
    await server.node()
    for body in MALFORMED:
        response = await server.admin.post(JOBS, content=body, headers=JSON)
        assert response.status_code in (400, 422)
        assert len(problem(response, response.status_code)["detail"]) < 200
    not_text = await server.admin.post(JOBS, content=b'{"name": "\xe9"}', headers=JSON)
    assert problem(not_text, 422)["detail"] == "The request body is not UTF-8; send it as UTF-8."
    for body in (b"", b"null", b"[]", b"7", b'"text"'):
        problem(await server.admin.post(JOBS, content=body, headers=JSON), 422)
    assert await nothing_was_made(server)


async def test_deep_nesting(server: Server) -> None:
    await server.node()
    for depth in (10, 400, 900):
        body = b'{"labels": ' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"
        found = problem(await server.admin.post(JOBS, content=body, headers=JSON), 422)
        assert len(json.dumps(found)) < 5_000
    assert await nothing_was_made(server)


async def test_numbers_that_are_none_in_json(server: Server) -> None:
    await server.node()
    for number in ("NaN", "Infinity", "-Infinity"):
        body = f'{{"benchmark": {{"iterations": {number}}}}}'
        found = problem(await server.admin.post(JOBS, content=body, headers=JSON), 422)
        assert [error["pointer"] for error in found["errors"]] == ["/benchmark/iterations"]
        assert "give a finite one" in found["detail"]
    # The same letters in a name are nothing special.
    assert (await server.submit(name=f"{number} \\u0000 \\ud800"))["name"] == f"{number} \\u0000 \\ud800"


UNKEPT = ("a\0b", "\ud800", "a\udfff", "\0")


async def test_text_that_no_database_keeps(server: Server) -> None:
    await server.node()
    for text, place in product(UNKEPT, ("/name", "/labels/team", "/placement/selector/rack")):
        value: Any = text
        for part in reversed(place.split("/")[1:]):
            value = {part: value}
        found = problem(await server.admin.post(JOBS, content=json.dumps(value), headers=JSON), 422)
        assert [error["pointer"] for error in found["errors"]] == [place]
        assert "NUL character or half of a surrogate pair" in found["detail"]
        in_a_name = json.dumps({"labels": {text: "x"}})
        problem(await server.admin.post(JOBS, content=in_a_name, headers=JSON), 422)
    assert await nothing_was_made(server)


def test_bytes_that_only_look_as_if_are_cleared_and_disguised_ones_are_found() -> None:
    assert findings(json.dumps({"name": "🎉 한글 \\u0000"}).encode()) == []
    assert findings('{"name": "🎉 한글"}'.encode()) == []
    wide = '{"a": "\\u0000"}'.encode("utf-16")
    for disguised in (wide, b'{"a": "\\u0000"}', b'{"a": "\xed\xa0\x80"}', b'["\\uD83D"]'):
        assert findings(disguised), disguised
    assert json.loads(mended(b'{"a": ["x\\u0000", {"\\ud800": 1}], "n": NaN}'))["a"] == ["x\ufffd", {"\ufffd": 1}]
    assert mended(b"{\\u0000") == b"{\\u0000"


async def test_another_content_type_and_a_compressed_body(server: Server) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None):
        headers = {"Content-Type": kind} if kind else {}
        found = problem(await server.admin.post(JOBS, content=b"{}", headers=headers), 415)
        assert "Content-Type: application/json" in found["detail"]
    headers = JSON | {"Content-Encoding": "gzip"}
    found = problem(await server.admin.post(JOBS, content=gzip.compress(b"{}"), headers=headers), 415)
    assert "uncompressed" in found["detail"]


async def test_a_huge_body_by_its_declared_length_and_by_what_comes(server: Server) -> None:
    declared = await server.admin.post(JOBS, content=b"x" * (SMALL_BYTES + 1), headers=JSON)
    assert problem(declared, 413)["detail"] == "The request body is larger than 65536 bytes; send less at a time."
    sent = 0

    async def chunks() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(100):
            sent += 1 << 14
            yield b" " * (1 << 14)

    assert problem(await server.admin.post(JOBS, content=chunks(), headers=JSON), 413)["code"] == "body_too_large"
    assert sent <= SMALL_BYTES + (1 << 14)


async def test_only_an_agent_may_send_much(server: Server) -> None:
    """Other users' large bodies are not read: 16 MB of brackets would keep the server busy for seconds."""
    node = await server.node()
    much = b'{"attempt_id": 1, "first_sequence": 1, "records": [%s{}]}' % (b"{}," * SMALL_BYTES)
    url = f"/api/v1/agents/{node.name}/records"

    async def answer(**headers: str) -> httpx.Response:
        return await server.client().post(url, content=much, headers=JSON | headers)

    admins = {"Authorization": server.admin.headers["Authorization"]}
    for headers in ({}, admins):
        assert problem(await answer(**headers), 413)["code"] == "body_too_large"
    # An agent keeps its records, and joins anew, only if it hears of its token and not of its body.
    assert problem(await answer(Authorization="Bearer rs_nobody"), 401)["code"] == "bad_token"
    found = problem(await (await node.speaker()).post(url, content=much, headers=JSON), 422)
    assert found["errors"][0]["pointer"] == "/epoch", "it was read"


@pytest.mark.parametrize(
    ("path", "most_bytes"),
    [
        *((path, SMALL_BYTES) for path in ("n1/poll", "n1/rotate", "n1/leave")),
        *((path, MEDIUM_BYTES) for path in ("n1/pulses", "register")),
        *((path, 2 * MEDIUM_BYTES) for path in ("n1/reports", "n1/records")),  # as this server is set
    ],
)
async def test_of_an_agent_as_much_is_read_as_it_may_have_to_say(tmp_path: Path, path: str, most_bytes: int) -> None:
    async with running_server(tmp_path, Clock(), max_body_bytes=2 * MEDIUM_BYTES) as server:
        speaker = await server.speaker("n1")
        for size, is_read in ((most_bytes, True), (most_bytes + 1, False)):
            answer = await speaker.post(f"/api/v1/agents/{path}", content=b" " * size, headers=JSON)
            assert (answer.status_code != 413) == is_read, answer.text


def test_a_pulse_of_a_whole_node_is_read() -> None:
    counts = ("iterations", "untimed", "size_bytes", "waited_us", "calls", "stage_since_ns", "running_us", "queued_us")
    rank = RankPulse(
        rank=4095, state="R", step=2**31 - 1, awaits=2**31 - 1, stage="x" * 200, **dict.fromkeys(counts, 2**63 - 1)
    )
    pulse = Pulse(epoch=1, attempt_id=2**63 - 1, time_us=2**63 - 1, ranks=[rank] * 4096)
    assert len(pulse.model_dump_json()) <= MEDIUM_BYTES


async def test_a_sentence_does_not_repeat_long_input(server: Server) -> None:
    for body in ({"kind": "x" * 60_000}, {"priority": "x" * 60_000}, {f"f{i}": 1 for i in range(5_000)}):
        found = problem(await server.admin.post(JOBS, json=body), 422)
        assert all(len(error["detail"]) < 1_200 for error in found["errors"])
        assert len(found["errors"]) <= 100


async def test_labels_are_few_and_short(server: Server) -> None:
    await server.node()
    job = await server.submit()
    many, long = {str(number): "x" for number in range(101)}, {"team": "x" * 201}
    for labels, sentence in (
        (many, "labels: there are too many entries; give 100 or fewer."),
        (long, "labels: 'team' is too long; give names and values of 200 characters or fewer."),
        ({"x" * 201: ""}, f"labels: '{'x' * 20}…' is too long; give names and values of 200 characters or fewer."),
    ):
        for answer in (
            await server.admin.post(JOBS, json={"labels": labels}),
            await server.admin.patch(f"{JOBS}/{job['id']}", json={"labels": labels}, headers={"If-Match": "*"}),
        ):
            assert problem(answer, 422)["errors"] == [{"pointer": "/labels", "detail": sentence}]
        found = problem(await server.admin.post(JOBS, json={"placement": {"selector": labels}}), 422)
        assert found["detail"] == sentence.replace("labels", "placement.selector", 1)
        for change in ({"labels": labels}, {"placement": {"selector": labels}}):
            schedule = {"name": "nightly", "cron": "30 2 * * *", "spec": change}
            found = problem(await server.admin.post("/api/v1/schedules", json=schedule), 422)
            assert found["errors"][0]["pointer"] in ("/spec/labels", "/spec/placement/selector")
            found = problem(await server.admin.post(f"{JOBS}/{job['id']}/clone", json=change), 422)
            assert found["errors"][0]["pointer"] in ("/labels", "/placement/selector")
    await server.submit(labels={str(number): "x" * 200 for number in range(100)})


async def test_a_job_that_an_earlier_version_took_with_more_labels_is_read_shown_and_run(server: Server) -> None:
    agent = await server.node(slots=2, labels={"team": "x" * 201})
    job = await server.submit(**ONE_SIZE)
    old, many = await server.job(job["id"]), {str(number): "x" for number in range(101)}
    placement = old["spec"]["placement"] | {"selector": {"team": "x" * 201}}
    spec = old["spec"] | {"labels": many, "placement": placement}
    async with server.services.database.write() as session:
        await session.execute(update(Job).values(spec=spec, labels=many))
    (shown,) = (await server.admin.get(JOBS)).json()["items"]
    assert shown["labels"] == (await server.job(job["id"]))["labels"] == many
    assert (await server.job(job["id"]))["spec"]["placement"]["selector"] == {"team": "x" * 201}
    await agent.start_next()
    assert (await server.job(job["id"]))["state"] == "running"


# Numbers.


async def test_numbers_beyond_64_bit(server: Server) -> None:
    await server.node()
    job = await server.submit(**ONE_SIZE)
    for number in BEYOND_64_BIT:
        await refuse_everywhere(server, f"{JOBS}/{job['id']}", number)


async def refuse_everywhere(server: Server, url: str, number: int) -> None:
    for path in (f"{JOBS}/{number}", f"{JOBS}/{number}/steps", f"{url}/steps?rank={number}"):
        assert (await server.admin.get(path)).status_code in (404, 422), path
    assert (await server.admin.post(f"{JOBS}/{number}/cancel")).status_code in (404, 422)
    assert (await server.admin.delete(f"/api/v1/tokens/{number}")).status_code == 422
    for path in (JOBS, f"{url}/log", "/api/v1/events", "/api/v1/tokens"):
        found = problem(await server.admin.get(path, params={"cursor": encode(number)}), 422)
        assert found["errors"][0]["pointer"] == "/cursor"
    problem(await server.admin.post(JOBS, json={"priority": number}), 422)


async def test_an_unknown_word_in_a_url_is_named_beside_those_there_are(server: Server) -> None:
    found = problem(await server.admin.get(JOBS, params={"state": "foo"}), 422)
    assert found["errors"][0]["detail"].startswith("state[0]: unknown state 'foo'; choose one of held, queued, ")


async def test_cursors_that_this_server_did_not_make(server: Server) -> None:
    for cursor in ("", "!!!", "bm90IGEgbnVtYmVy", "x" * 200, "' OR 1=1 --", "é", "MQ==MQ=="):
        assert "leave it out" in problem(await server.admin.get(JOBS, params={"cursor": cursor}), 422)["detail"]


# Words that mean something elsewhere.

INJECTIONS = ["'; DROP TABLE jobs; --", '" OR 1=1 --', "${jndi:ldap://x}", "<script>alert(1)</script>", "%s%n{0}"]


async def test_injected_words_are_words(server: Server) -> None:
    await server.node()
    for text in INJECTIONS:
        job = await server.submit(name=text, labels={"team": text})
        shown = await server.job(job["id"])
        assert (shown["name"], shown["spec"]["labels"]) == (text, {"team": text})
        assert [j["id"] for j in (await server.admin.get(JOBS, params={"q": text})).json()["items"]] == [job["id"]]
        assert (await server.admin.get(JOBS, params={"q": text + "x"})).json()["items"] == []
        assert (await server.admin.get(f"/api/v1/nodes/{quote(text, safe='')}")).status_code == 404
        assert (await server.admin.get("/api/v1/events", params={"actor": text})).json()["items"] == []
        again = await server.admin.post(JOBS, json=ONE_SIZE, headers={"Idempotency-Key": text})
        assert again.status_code == 201


async def test_wildcards_of_sql_find_only_themselves(server: Server) -> None:
    await server.node()
    await server.submit(name="plain")
    percent = await server.submit(name="100%_done")
    for q in ("%", "_", "%_d"):
        assert [j["id"] for j in (await server.admin.get(JOBS, params={"q": q})).json()["items"]] == [percent["id"]]


async def test_nul_in_a_url(server: Server) -> None:
    for path in ("/api/v1/nodes/a%00b", f"{JOBS}?q=%00", "/login?token=%00", "/%00"):
        assert "NUL" in problem(await server.admin.get(path), 422)["detail"]


HOSTS = (
    *("my_server:8000", "10.0.0.7", "LOCALHOST:", "a.b-c.example."),
    *("[fe80::1]:80", "[fe80::1%eth0]:80", "[::ffff:10.0.0.7]"),
)
NO_HOSTS = (
    "[::1",
    "::1",
    "localhost:abc",
    "localhost:99999",
    "a b",
    "[g]",
    "eve@localhost",
    "localhost/x",
    "\x80",
    ":",
)


async def test_a_host_that_is_none_is_refused_before_a_link_is_made_of_it(server: Server) -> None:
    for host in NO_HOSTS:
        said = [(b"Host", host.encode("latin-1"))]
        for path in ("/api/v1/login-links", f"{JOBS}/"):
            assert problem(await server.admin.post(path, headers=said), 400)["code"] == "invalid_host"
        assert (await server.client().get("/healthz", headers=said)).status_code == 400
    twice = [("Host", "localhost"), ("Host", "evil.example")]
    problem(await server.admin.post("/api/v1/login-links", headers=twice), 400)
    for host in HOSTS:
        assert (await server.client().get("/healthz", headers={"Host": host})).status_code == 200
    answer = await without_a_host(server)
    assert (answer["status"], answer["code"]) == (400, "invalid_host"), "HTTP/1.1 asks for one (RFC 9112, 3.2)"
    unnamed = await server.admin.post("/api/v1/login-links", headers={"Host": ""})
    assert unnamed.json()["url"].startswith("http://test/login?token="), "the address at which the connection arrived"


async def without_a_host(server: Server) -> dict[str, Any]:
    """The problem that a request of HTTP/1.1 without a Host gets; httpx would name one."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "path": "/healthz"}
    scope |= {"raw_path": b"/healthz", "query_string": b"", "headers": [], "server": ("test", 80), "client": None}
    await server.transport.app(scope, receive, send)  # type: ignore[arg-type]
    found: dict[str, Any] = json.loads(b"".join(message.get("body", b"") for message in sent))
    return found


async def test_very_long_paths_and_headers(server: Server) -> None:
    assert (await server.admin.get("/api/v1/nodes/" + "x" * 60_000)).status_code == 404
    problem(await server.admin.get(f"{JOBS}/{'9' * 5_000}"), 422)
    problem(await server.admin.get(JOBS, params={"q": "x" * 60_000}), 422)
    problem(await server.admin.post(JOBS, json={}, headers={"Idempotency-Key": "k" * 201}), 422)
    problem(await server.admin.post(JOBS, json={}, headers={"Idempotency-Key": ""}), 422)
    problem(await server.client("x" * 100_000).get(JOBS), 401)
    with_words = await server.client().get(JOBS, headers={"Authorization": "Bearer a b c"})
    problem(with_words, 401)
    problem(await server.client().get(JOBS, headers={"Authorization": "Basic YWRtaW46"}), 401)


# Too much, or nothing that can be seen.


async def test_a_rank_that_says_very_much_of_its_end_is_cut_short_and_has_ended(server: Server) -> None:
    node = await server.node()
    job = await server.submit()
    attempt = await node.start_next()
    assert (await node.report(attempt, "ended", reason="rank_exit", message="x" * 1_000_000)).status_code == 204
    found = await server.job(job["id"])
    assert (found["reason"], len(found["message"])) == ("rank_exit", 10_000)


async def test_a_name_holds_nothing_that_nobody_sees(server: Server) -> None:
    await server.node()
    wanted = {"  a\u202eb\t": "ab", " \t ": "all_reduce ring, direct, mpi on 2 ranks", "x\u200dy": "x\u200dy"}
    for name, shown in wanted.items():
        assert (await server.submit(name=name))["name"] == shown
    renamed = await server.admin.patch(f"{JOBS}/1", json={"name": "b\u202e"}, headers={"If-Match": "*"})
    assert renamed.json()["name"] == "b"
