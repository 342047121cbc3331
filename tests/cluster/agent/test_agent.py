import asyncio
import os
import socket
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from tests.agent.conftest import eventually
from tests.agent.fake_server import JOIN_TOKEN, FakeServer
from tests.cluster.agent.conftest import AgentProcess

from ringscope.contracts.protocol import Assignment
from ringscope.contracts.rank_process import TOKEN_VARIABLE
from ringscope.contracts.record import Done, Hello, Measurement, Steps
from ringscope.contracts.words.version import __version__
from ringscope_agent import process_group
from ringscope_agent.__main__ import main
from ringscope_agent.process_group import HOME_VARIABLE


async def test_a_job_runs_from_prepare_to_clean(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await agent.start("--label", "rack=r1")
    job = assignment(ranks=2, algorithms=["ring", "mpi"])
    await server.assign(job)
    clean = await server.wait_for("clean", 7)
    ended = await server.wait_for("ended", 7)
    assert (ended.reason, ended.message) == ("completed", "")
    # Two interpreters with NumPy and MPI were started: no less, and nothing that they took is others' load.
    assert ended.load is not None
    assert 0.2 < ended.load.own_seconds <= ended.load.busy_seconds + 0.1
    assert [r.event for r in server.reports] == ["ready", "proxies", "running", "ended", "clean"]
    records = server.parsed(7)
    assert clean.last_sequence == len(server.records[7])
    assert {r.rank for r in records if isinstance(r, Hello)} == {0, 1}
    assert {r.rank for r in records if isinstance(r, Steps)} == {0, 1}
    assert {r.rank for r in records if isinstance(r, Done)} == {0, 1}
    table = [r for r in records if isinstance(r, Measurement)]
    assert len(table) == job.spec.benchmark.measurement_count()
    assert {r.wrong for r in table} == {0}
    assert process_group.processes_of(job.token) == []
    assert server.registrations[0].labels == {"rack": "r1"}
    assert server.registrations[0].versions.keys() >= {"ringscope", "python", "mpi4py", "mpi", "numpy"}


async def test_a_job_of_a_newer_version_is_refused_by_name_and_hides_no_other_job(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    server.auto, server.adds_to_spec = False, {8: {"teleport": True}}
    await server.assign(assignment(8))
    await server.assign(assignment(7))
    await agent.start()
    refused = await server.wait_for("refused", 8)
    assert refused.message == (
        f"Node n1 cannot take attempt 8 on: its agent, ringscope {__version__}, does not understand the job "
        "(spec.teleport: Extra inputs are not permitted); upgrade the agent, or leave the field out."
    )
    await server.wait_for("clean", 8)
    await server.wait_for("ready", 7)
    await server.update(7, desired="stop")
    await server.wait_for("clean", 7)


@pytest.mark.long  # tests/web watches steps arrive as well
async def test_steps_reach_the_server_and_the_counters_while_their_block_lasts(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await agent.start()
    # A block is a fifth of the iterations; it would take 100 s here.
    job = assignment(min_bytes=1 << 20, max_bytes=1 << 20, iterations=1_000_000)
    await server.assign(job)
    # Each part of the way has its own deadline: with five times as many processes as cores all took 18 s together.
    await server.wait_for("ready", 7)
    await server.wait_for("running", 7)
    await server.wait_until(lambda: {r.rank for r in server.parsed(7) if isinstance(r, Steps)} == {0, 1})
    steps = [r for r in server.parsed(7) if isinstance(r, Steps)]
    assert max(r.first_step + len(r.start_ns) for r in steps) < 200_000
    assert {(r.algorithm, r.bytes, r.dropped) for r in steps} == {("ring", 1 << 20, 0)}
    async with httpx.AsyncClient(timeout=60) as client:
        page = await client.get(f"http://{server.registrations[-1].metrics_address}/metrics")
    counted = [line for line in page.text.splitlines() if line.startswith("ringscope_rank_steps_total")]
    assert len(counted) == 2
    assert all(float(line.rpartition(" ")[2]) > 0 for line in counted)
    await server.update(7, desired="stop")
    await server.wait_for("clean", 7)
    assert not any(isinstance(r, Measurement) for r in server.parsed(7))


async def test_a_wrong_token_is_refused_in_one_line(server: FakeServer, agent: AgentProcess) -> None:
    await agent.start(RINGSCOPE_TOKEN="nonsense")
    code, text = await agent.ended()
    assert code == 2
    assert text.strip() == (
        f"The server refused this node's token. join_token: {agent.data_dir}/agent-token holds no good token of this "
        "node, and there is none to join with; make one with `ringscope token add NAME --kind join`, "
        "and give it with --join-token."
    )


async def test_a_token_that_is_withdrawn_ends_the_agent_and_its_ranks(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment()
    await agent.start(RINGSCOPE_RANK_MODULE="drill_rank", RINGSCOPE_FAULT="stubborn")
    await server.assign(job)
    await server.wait_for("running", 7)
    server.token = "another"
    code, text = await agent.ended()
    assert code == 2
    assert "refused this node's token" in text.splitlines()[-1]
    assert process_group.processes_of(job.token) == []


async def test_an_agent_that_became_too_old_ends_its_ranks_in_good_order_and_itself(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment()
    await agent.start(RINGSCOPE_RANK_MODULE="drill_rank", RINGSCOPE_FAULT="none")
    await server.assign(job)
    await server.wait_for("running", 7)
    server.auto, server.refusal_of_version = False, "The node has Ringscope 0.0.9; install 0.2.0 on the node."
    code, text = await agent.ended()
    assert (code, text.splitlines()[-1]) == (2, f"The server refused this agent: 426 {server.refusal_of_version}")
    assert f"so its ranks are ended: {server.refusal_of_version}" in text
    assert process_group.processes_of(job.token) == []
    *_, ended, clean = server.reports
    assert (ended.event, ended.reason) == ("ended", "agent_restarted")
    assert ended.message == f"The server refuses the agent of node n1. {server.refusal_of_version}"
    assert (clean.event, clean.last_sequence) == ("clean", len(server.records[7]))


@pytest.mark.long  # in one process: tests/agent/test_joining.py
async def test_a_node_joins_with_a_join_token_and_comes_back_without_it(
    server: FakeServer, agent: AgentProcess
) -> None:
    await agent.start("--join-token", JOIN_TOKEN, RINGSCOPE_TOKEN=None)
    await server.wait_until(lambda: len(server.registrations) == 1)
    await agent.close()
    await agent.start(RINGSCOPE_TOKEN=None)
    await server.wait_until(lambda: len(server.registrations) == 2)
    assert server.joined == ["n1"]


@pytest.mark.long  # in one process: tests/agent/test_joining.py; a line for a wrong token: above
async def test_a_wrong_join_token_is_refused_in_one_line(server: FakeServer, agent: AgentProcess) -> None:
    await agent.start(RINGSCOPE_JOIN_TOKEN="nonsense", RINGSCOPE_TOKEN=None)
    code, text = await agent.ended()
    assert code == 2
    assert text.strip() == (
        "join_token: the server refused it; it may be mistyped, expired or revoked: make a new one there."
    )


@pytest.mark.long  # as all agents of tests/cluster/jobs/test_jobs.py have theirs
async def test_the_token_may_come_from_the_data_directory(server: FakeServer, agent: AgentProcess) -> None:
    agent.data_dir.mkdir()
    (agent.data_dir / "agent-token").write_text(f"{server.token}\n")
    flag = ["--token-file", str(agent.data_dir / "agent-token")]
    await agent.start(*flag, RINGSCOPE_TOKEN="nonsense")
    await server.wait_until(lambda: bool(server.registrations))


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--slots", "0"], "slots: '0' is too small; give 1 or more."),
        (["--name", "rack/1"], "name: 'rack/1' has a slash"),
        (["--address", "::1"], "address: '::1' is no host name or IPv4 address"),
        (["--label", "rack"], "label: 'rack' is no label; write it as KEY=VALUE."),
        (["--server", "cluster"], "'cluster' is no URL of a server; write it like http://127.0.0.1:8000."),
        (["--leaves-at", "2026-01-01T12:00:00"], "leaves_at: 2026-01-01T12:00:00 has no time zone; add one"),
        (["--leaves-at", "1"], "leaves_at: 1970-01-01T00:00:01+00:00 is not a plausible clock time; give one"),
        (["--data-dir", "/proc/none"], "data_dir: /proc/none cannot be written"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, flags: list[str], sentence: str
) -> None:
    monkeypatch.delenv("RINGSCOPE_TOKEN", raising=False)
    assert main(["--data-dir", str(tmp_path), "--metrics-port", "0", *flags]) == 2
    text = capfd.readouterr().err
    assert sentence in text
    assert len(text.strip().splitlines()) == 1


def test_a_port_in_use_is_refused_in_one_sentence(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RINGSCOPE_TOKEN", "any")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["--data-dir", str(tmp_path), "--metrics-port", str(port)]) == 2
    assert capfd.readouterr().err == (
        f"metrics_port: 127.0.0.1:{port} cannot be listened on (Address already in use); "
        "choose another with --metrics-port, or 0 for any free one.\n"
    )


async def test_a_second_agent_on_one_data_directory_is_refused(server: FakeServer, agent: AgentProcess) -> None:
    await agent.start()
    await server.wait_until(lambda: bool(server.registrations))
    second = AgentProcess(server, agent.data_dir)
    await second.start()
    code, text = await second.ended()
    assert code == 2
    assert text.strip() == (
        f"data_dir: another agent uses {agent.data_dir}; stop it, or choose another with --data-dir."
    )


@pytest.mark.long  # in one process: tests/agent/telemetry/test_delivery.py
async def test_an_old_epoch_makes_the_agent_register_again_and_keep_its_attempts(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await agent.start(RINGSCOPE_RANK_MODULE="drill_rank", RINGSCOPE_FAULT="stubborn")
    await server.assign(assignment())
    await server.wait_for("running", 7)
    server.epoch += 10
    await server.wait_until(lambda: len(server.registrations) == 2)
    await server.update(7, desired="stop")
    await server.wait_for("clean", 7)
    assert not any(r.event == "ended" for r in server.reports)


@pytest.mark.long  # the gate kills the server: tests/cluster/jobs/test_jobs.py
async def test_a_server_that_is_away_loses_nothing(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await agent.start()
    await server.assign(assignment(algorithms=["mpi"], max_bytes=1 << 20, iterations=50))
    await server.wait_for("running", 7)
    await server.stop()
    server.failures_to_give = 3
    await server.start()
    clean = await server.wait_for("clean", 7)
    ended = await server.wait_for("ended", 7)
    assert ended.reason == "completed"
    assert clean.last_sequence == len(server.records[7])
    assert [r["rank"] for r in server.records[7] if r["type"] == "done"] in ([0, 1], [1, 0])


@pytest.mark.long  # in one process: tests/agent/launch/test_node_check.py
async def test_a_job_that_does_not_fit_is_refused(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await agent.start()
    await server.assign(assignment(ranks=5))
    refused = await server.wait_for("refused", 7)
    assert refused.message.startswith("Node n1 has 4 of 4 slots free and 5 are asked for")
    await server.wait_for("clean", 7)


@pytest.mark.long  # in one process: tests/agent/launch/test_node_check.py
async def test_a_node_with_processes_of_an_unknown_attempt_is_refused(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    marks = {TOKEN_VARIABLE: "unknown", HOME_VARIABLE: str(agent.data_dir)}
    leftover = await asyncio.create_subprocess_exec("sleep", "1000", env=os.environ | marks)
    try:
        await agent.start()
        await server.assign(assignment())
        refused = await server.wait_for("refused", 7)
        assert refused.message == (
            f"Node n1 still runs processes of an earlier attempt: [{leftover.pid}]; end them by hand."
        )
    finally:
        leftover.kill()
        await leftover.wait()


@pytest.mark.long  # the gate has it of an agent that was away meanwhile: test_restart.py
async def test_an_attempt_that_the_server_forgot_is_ended(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment()
    await agent.start(RINGSCOPE_RANK_MODULE="drill_rank", RINGSCOPE_FAULT="stubborn")
    await server.assign(job)
    await server.wait_for("running", 7)
    server.auto = False
    await server.forget(7)
    await eventually(lambda: not process_group.processes_of(job.token))
    await eventually(lambda: not list((agent.data_dir / "attempts").iterdir()))


@pytest.mark.long
async def test_the_series_of_a_job_are_there_while_it_runs_and_vanish_after_it(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await agent.start(RINGSCOPE_METRICS_LINGER_SECONDS="0.2")
    await server.assign(assignment(algorithms=["mpi"], iterations=100_000))
    await server.wait_for("running", 7)
    page = f"http://{server.registrations[0].metrics_address}/metrics"
    async with httpx.AsyncClient() as client:
        text = (await client.get(page)).text
        assert 'ringscope_rank_up{job_id="47",rank="1"} 1.0' in text
        assert 'ringscope_rank_collective_bus_bytes_total{job_id="47",op="all_reduce",rank="0"}' in text
        assert "ringscope_agent_last_server_contact_timestamp_seconds" in text
        await server.update(7, desired="stop")
        await server.wait_for("clean", 7)
    await eventually(lambda: "job_id" not in httpx.get(page, timeout=60).text)
