"""The agent is killed, and started again or not; a shim is killed. Real processes and real MPI ranks."""

import os
import signal
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path

import httpx
import psutil
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.agent.conftest import eventually
from tests.agent.fake_server import FakeServer
from tests.cluster.agent.conftest import AgentProcess

from ringscope.contracts.protocol import Assignment
from ringscope.contracts.record import Done, Hello, Measurement, Steps
from ringscope_agent import process_group

# Ranks that wait for each other are slow on a machine with other work.
LONG_SECONDS = 180.0
STUBBORN = {"RINGSCOPE_RANK_MODULE": "drill_rank", "RINGSCOPE_FAULT": "stubborn"}


async def kill(agent: AgentProcess) -> None:
    agent.signal(signal.SIGKILL)
    await agent.ended()


def shims(data_dir: Path) -> list[psutil.Process]:
    """Shims of this agent that have a task, which are those that have sockets."""
    found = []
    for process in psutil.process_iter():
        try:
            is_shim = "ringscope_agent.shim.process" in process.cmdline()
            if (
                is_shim
                and process.environ().get("RINGSCOPE_AGENT_HOME") == str(data_dir)
                and process.net_connections("unix")
            ):
                found.append(process)
        except psutil.Error:
            continue
    return found


def steps_of(server: FakeServer) -> Counter[tuple[int, int]]:
    """Count how often each (rank, step) came."""
    return Counter(
        (record.rank, record.first_step + index)
        for record in server.parsed(7)
        if isinstance(record, Steps)
        for index in range(len(record.start_ns))
    )


def series(server: FakeServer, name: str) -> dict[str, float]:
    """A series by rank, as the newest life of the agent shows it."""
    page = httpx.get(f"http://{server.registrations[-1].metrics_address}/metrics", timeout=60).text
    return {
        sample.labels["rank"]: sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
        if sample.name == f"ringscope_{name}"
    }


@pytest.mark.long
async def test_an_agent_that_was_killed_twice_finds_its_ranks_and_nothing_is_lost_or_double(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    await agent.start(RINGSCOPE_METRICS_LINGER_SECONDS="60")
    iterations = 20_000  # so that it still runs when the third agent comes, on the fastest machine
    job = assignment(
        ranks=2, algorithms=["mpi"], min_bytes=65536, max_bytes=1 << 18, step_factor=2, iterations=iterations
    )
    await server.assign(job)
    await server.wait_until(lambda: len(steps_of(server)) > 0)
    pids = {record.pid for record in server.parsed(7) if isinstance(record, Hello)}
    for life in (2, 3):
        await kill(agent)
        assert all(psutil.pid_exists(pid) for pid in pids), "the job ended before its agent did"
        before = len(server.records[7])
        await agent.start(RINGSCOPE_METRICS_LINGER_SECONDS="60")
        await server.wait_until(lambda life=life: len(server.registrations) == life)
        await server.wait_until(lambda before=before: len(server.records[7]) > before, LONG_SECONDS)
    ended = await server.wait_for("ended", 7, seconds=LONG_SECONDS)
    assert (ended.reason, ended.message) == ("completed", "")
    clean = await server.wait_for("clean", 7)
    assert clean.last_sequence == len(server.records[7])
    records = server.parsed(7)
    assert {record.pid for record in records if isinstance(record, Hello)} == pids
    assert sorted(record.rank for record in records if isinstance(record, Done)) == [0, 1]
    rows = [record for record in records if isinstance(record, Measurement)]
    assert len(rows) == job.spec.benchmark.measurement_count()
    steps = range(len(rows) * iterations)
    assert steps_of(server) == Counter(product((0, 1), steps))
    assert series(server, "rank_steps_total") == {"0": len(steps), "1": len(steps)}
    assert series(server, "rank_up") == {"0": 0, "1": 0}
    await eventually(lambda: not shims(agent.data_dir))
    await eventually(lambda: not list((agent.data_dir / "attempts").iterdir()))


@pytest.mark.long
async def test_ranks_whose_agent_stays_away_are_ended_and_what_they_said_is_delivered(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment()
    await agent.start(RINGSCOPE_AWAY_SECONDS="1", **STUBBORN)
    await server.assign(job)
    await server.wait_for("running", 7)
    await server.wait_until(lambda: any("grandchild" in record.get("text", "") for record in server.records[7]))
    await kill(agent)
    await eventually(lambda: not process_group.processes_of(job.token) and not shims(agent.data_dir))
    await agent.start(**STUBBORN)
    ended = await server.wait_for("ended", 7)
    assert (ended.reason, ended.message) == (
        "agent_restarted",
        "Node n1 was without its agent for 1 s, so its ranks were ended.",
    )
    clean = await server.wait_for("clean", 7)
    assert clean.last_sequence == len(server.records[7])


@pytest.mark.long
async def test_a_job_that_ended_while_its_agent_was_away_has_completed(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment(ranks=2, algorithms=["mpi"], max_bytes=1 << 20, iterations=2000)
    await agent.start(RINGSCOPE_AWAY_SECONDS="30")
    await server.assign(job)
    await server.wait_for("running", 7)
    os.kill(agent.pid, signal.SIGSTOP)  # it is there, but hears nothing of the end
    await eventually(lambda: not process_group.processes_of(job.token), LONG_SECONDS)
    await kill(agent)
    await eventually(lambda: not shims(agent.data_dir))
    await agent.start()
    assert (await server.wait_for("ended", 7)).reason == "completed"
    await server.wait_for("clean", 7)
    rows = [record for record in server.parsed(7) if isinstance(record, Measurement)]
    assert len(rows) == job.spec.benchmark.measurement_count()


@pytest.mark.long
async def test_a_shim_that_is_killed_takes_its_ranks_along_and_the_agent_says_so(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment()
    await agent.start(**STUBBORN)
    await server.assign(job)
    await server.wait_for("running", 7)
    [shim] = shims(agent.data_dir)
    shim.kill()
    ended = await server.wait_for("ended", 7)
    assert ended.reason == "launcher_lost"
    assert ended.message == (
        "The shim of the ranks on node n1 was killed or crashed, and its ranks died with it; "
        f"{agent.data_dir}/shims.log on that node may say why."
    )
    clean = await server.wait_for("clean", 7)
    assert clean.last_sequence == len(server.records[7])
    assert process_group.processes_of(job.token) == []


@pytest.mark.long
async def test_a_shim_that_hangs_is_killed_once_the_attempt_is_to_stop(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment()
    await agent.start(**STUBBORN)
    await server.assign(job)
    await server.wait_for("running", 7)
    [shim] = shims(agent.data_dir)
    shim.suspend()
    await server.update(7, desired="stop")
    await server.wait_for("clean", 7)
    assert process_group.processes_of(job.token) == []
    assert shims(agent.data_dir) == []


@pytest.mark.long
async def test_agent_and_shim_killed_together_are_told_apart_from_a_restart(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment()
    await agent.start(**STUBBORN)
    await server.assign(job)
    await server.wait_for("running", 7)
    [shim] = shims(agent.data_dir)
    shim.kill()
    await kill(agent)
    await agent.start(**STUBBORN)
    assert (await server.wait_for("ended", 7)).reason in ("rank_exit", "launch_failed")
    await server.wait_for("clean", 7)
    assert process_group.processes_of(job.token) == []


@pytest.mark.long
async def test_an_agent_that_was_killed_before_the_launch_is_ready_again(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    server.auto = False
    await agent.start()
    await server.assign(assignment())
    await server.wait_for("ready", 7)
    [shim] = shims(agent.data_dir)
    await kill(agent)
    await agent.start()
    await server.wait_until(lambda: len([report for report in server.reports if report.event == "ready"]) == 2)
    assert shims(agent.data_dir) == [shim]
    server.auto = True
    await server.update(7, desired="launch")
    assert (await server.wait_for("ended", 7)).reason == "completed"
    await server.wait_for("clean", 7)


@pytest.mark.long
async def test_an_agent_that_was_killed_while_it_stops_goes_on_stopping(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment().model_copy(update={"grace_seconds": 5.0})  # which rank 1 uses up, as it ignores SIGTERM
    await agent.start(**STUBBORN)
    await server.assign(job)
    await server.wait_for("running", 7)
    await server.update(7, desired="stop")
    ranks = len(process_group.processes_of(job.token))
    await eventually(lambda: len(process_group.processes_of(job.token)) < ranks)
    await kill(agent)
    assert process_group.processes_of(job.token), "it had stopped already"
    await agent.start(**STUBBORN)
    clean = await server.wait_for("clean", 7)
    assert clean.last_sequence == len(server.records[7])
    assert process_group.processes_of(job.token) == []
    await eventually(lambda: not shims(agent.data_dir))


@pytest.mark.long
async def test_a_restarted_agent_ends_what_the_server_has_forgotten(
    server: FakeServer, agent: AgentProcess, assignment: Callable[..., Assignment]
) -> None:
    job = assignment()
    await agent.start(**STUBBORN)
    await server.assign(job)
    await server.wait_for("running", 7)
    await kill(agent)
    await server.forget(7)
    await agent.start(**STUBBORN)
    await eventually(lambda: not process_group.processes_of(job.token) and not shims(agent.data_dir))
    await eventually(lambda: not list((agent.data_dir / "attempts").iterdir()))


async def test_no_spare_shim_outlives_its_agent(server: FakeServer, agent: AgentProcess) -> None:
    def processes() -> list[int]:
        homes = process_group.carriers(process_group.HOME_VARIABLE)
        return [pid for pid, home in homes.items() if home == str(agent.data_dir)]

    await agent.start()
    await eventually(lambda: bool(processes()))
    await kill(agent)
    await eventually(lambda: not processes())
