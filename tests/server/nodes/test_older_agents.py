"""Agents of earlier versions: the one before this works, and an older one is refused by name."""

import json
from pathlib import Path

import jsonschema
import pytest
from tests.server.conftest import ONE_SIZE, FakeAgent, Server

from ringscope.contracts.protocol import Registration
from ringscope.contracts.words.version import OLDEST_AGENT, __version__
from ringscope_agent.client import RejectedError, ServerClient
from ringscope_server.nodes import agent_versions

RECORDED = Path(__file__).parent / "older_agent"
MESSAGES = [json.loads(line) for line in (RECORDED / "messages.jsonl").read_text().splitlines()]
READS = json.loads((RECORDED / "directives.schema.json").read_text())
ITS_JOB = {
    "benchmark": {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 4096, "step_factor": 4, "iterations": 20},
    "placement": {"ranks": 2},
}
TOO_OLD = (
    f"The node has Ringscope 0.0.9, but the server has {__version__} and accepts agents of {OLDEST_AGENT} and later; "
    f"install {__version__} on the node and start its agent again."
)


async def test_a_recorded_agent_of_an_earlier_version_takes_a_job_and_finishes_it(server: Server) -> None:
    agent = FakeAgent(server, "old", 2, {})
    reads = jsonschema.validators.validator_for(READS)(READS)
    attempt: dict[str, int] = {}
    desired = []
    for message in MESSAGES:
        path, body = message["path"], message["body"] | attempt
        if path == "register":
            assert (await agent.register(**body)).status_code == 200
            job = await server.submit(**ITS_JOB)
            continue
        if path == "poll":
            await server.one_pass()
            body["seen"] = -1
        answer = await agent.post(path, body | {"epoch": agent.epoch})
        assert answer.is_success, answer.text
        if path == "poll":
            assert [fault.message for fault in reads.iter_errors(answer.json())] == []
            for assignment in answer.json()["assignments"]:
                attempt["attempt_id"] = assignment["attempt_id"]
                desired.append(assignment["desired"])
    assert [*dict.fromkeys(desired)] == ["prepare", "launch", "stop"]
    ended = await server.job(job["id"])
    assert (ended["state"], ended["message"]) == ("succeeded", "")
    (rows,) = await server.pages(f"/jobs/{job['id']}/measurements")
    assert [(row["size_bytes"], row["in_place"], row["wrong"]) for row in rows] == [
        (size, in_place, 0) for size in (1024, 4096) for in_place in (False, True)
    ]


async def test_an_agent_that_is_too_old_is_refused_by_name(server: Server) -> None:
    agent = await server.node("n1")
    told = agent.introduction() | {"versions": {"ringscope": "0.0.9"}}
    answer = await agent.register(**told)
    assert (answer.status_code, answer.json()["code"], answer.json()["detail"]) == (426, "agent_too_old", TOO_OLD)
    token = (await agent.speaker()).headers["Authorization"].removeprefix("Bearer ")
    its_client = ServerClient("http://test", token, Registration.model_validate(told), transport=server.transport)
    with pytest.raises(RejectedError) as refused:  # with which it ends
        await its_client.register()
    await its_client.close()
    assert refused.value.sentence == TOO_OLD
    for _ in range(2):
        node = (await server.admin.get("/api/v1/nodes/n1")).json()
        assert (node["observed"], node["observed_reason"]) == ("lost", TOO_OLD)
        await server.one_pass()
    job = await server.submit(**ONE_SIZE)
    await server.one_pass()
    assert (await server.job(job["id"]))["state"] == "queued"
    assert (await agent.register()).status_code == 200
    assert (await server.admin.get("/api/v1/nodes/n1")).json()["observed"] == "ready"


async def test_an_upgraded_server_refuses_the_heartbeats_of_an_agent_that_became_too_old(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = await server.node("n1")
    job = await server.submit(**ONE_SIZE)
    await agent.start_next()
    monkeypatch.setattr(agent_versions, "OLDEST_AGENT", "0.2")
    server.services.directory.forget("n1")  # as a server that has just started
    answer = await agent.post("poll", {"seen": -1})
    sentence = agent_versions.refusal("0.1.0")
    assert (answer.status_code, answer.json()["detail"]) == (426, sentence)
    await server.one_pass()
    node = (await server.admin.get("/api/v1/nodes/n1")).json()
    assert (node["observed_reason"], node["slots_busy"]) == (sentence, 2)
    (attempt,) = (await server.job(job["id"]))["attempts"]
    assert attempt["message"] == f"Node n1 with ranks 0 to 1 is lost. {sentence}"
    for report in ("ended", "clean"):  # such an agent ends its ranks, and then nothing holds its slots
        assert (await agent.report(attempt["id"], report, reason="agent_restarted")).status_code == 204
    assert (await server.admin.get("/api/v1/nodes/n1")).json()["slots_busy"] == 0


@pytest.mark.parametrize(
    ("version", "oldest", "is_refused"),
    [
        ("0.1.0", "0.1", False),
        ("0.2.0.dev3+gabc", "0.1", False),
        ("0.9.4", "0.10", True),
        ("1.4.2", "2.0", True),
        ("2.0.0rc1", "2.0", False),
        ("", "0.1", False),
        ("unknown", "0.1", False),
        (None, "0.1", False),
    ],
)
def test_versions_are_compared_by_their_first_two_numbers(
    version: str | None, oldest: str, is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_versions, "OLDEST_AGENT", oldest)
    assert bool(agent_versions.refusal(version)) == is_refused
