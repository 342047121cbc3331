"""Every fault of a real cluster, on hosts of their own: what the job says, how soon, and what is left of it."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from tests.cluster.agent.test_full_disk import fill, records_lost
from tests.cluster.hosts.cluster import ITERATIONS, MESSAGE_BYTES, RANKS, Cluster, Gang, running_cluster
from tests.cluster.hosts.conftest import needs_namespaces
from tests.cluster.hosts.invariants import OUTLIVING_SECONDS, assert_clean, assert_nothing_runs
from tests.cluster.lab import eventually

from ringscope.client import Insight

pytestmark = needs_namespaces
DEAD_RANK_SECONDS = 2.0
DEAD_NODE_SECONDS = 20.0
PAUSE_SECONDS = 20.0
SERVER_AWAY_SECONDS = 60.0
SLOW_BIT_PER_S = 10_000_000
# So slow that it shows beyond what the clocks of crowded hosts may err, tens of milliseconds.
VERY_SLOW_BIT_PER_S = 2_000_000
SMALL_DISK = "16m"


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Assert that the block, from the fault to the job's reason, takes less than ``seconds``."""
    began = time.monotonic()
    yield
    took = round(time.monotonic() - began, 2)
    print(f"seconds from fault to reason: {took}")  # noqa: T201 - for who measures: pytest -rP
    assert took < seconds


def verdict(cluster: Cluster, gang: Gang) -> tuple[str, str, str | None]:
    """Reason, sentence and the node to blame of the first attempt, once it is over."""
    eventually(lambda: cluster.attempts(gang.job_id)[0]["finished_at"], "the end of the attempt")
    attempt = cluster.attempts(gang.job_id)[0]
    return attempt["reason"], attempt["message"], attempt["bad_node"]


@pytest.mark.long  # the gate kills one without links: tests/cluster/jobs/test_jobs.py, agent/test_gang.py
@pytest.mark.parametrize("rank", [0, 2])
def test_a_killed_rank_is_named(cluster: Cluster, rank: int) -> None:
    gang = cluster.start_gang()
    with limit(DEAD_RANK_SECONDS):
        cluster.program(gang.hosts[rank], "python3").kill()
        cluster.wait_for_reason(gang.job_id)
    spooled = cluster.spooled(gang.attempt_id)
    reason, message, bad_node = verdict(cluster, gang)
    assert (reason, bad_node) == ("rank_signal", None)
    assert message.startswith(f"Rank {rank} on node {gang.hosts[rank]} was killed by SIGKILL (9)")
    assert cluster.ended(gang.job_id).state == "failed", "a program that is killed is not tried again"
    assert_clean(cluster, gang, spooled)


@pytest.mark.long
@pytest.mark.parametrize(
    ("program", "place", "victims"), [("mpiexec", 0, "ranks 0 to 2"), ("hydra_pmi_proxy", -1, "rank 2")]
)
def test_a_killed_launcher_is_named_and_the_job_goes_on_without_its_node(
    cluster: Cluster, program: str, place: int, victims: str
) -> None:
    gang = cluster.start_gang(max_attempts=2)
    with limit(DEAD_RANK_SECONDS):
        cluster.program(gang.hosts[place], program).kill()
        cluster.wait_for_reason(gang.job_id)
    spooled = cluster.spooled(gang.attempt_id)
    sentence = f"The launcher {program} on node {gang.hosts[place]} was killed by SIGKILL (9), and {victims} with it."
    assert verdict(cluster, gang) == ("launcher_lost", sentence, gang.hosts[place])
    assert_goes_on_without(cluster, gang, gang.hosts[place])
    assert_clean(cluster, gang, spooled)


@pytest.mark.long  # the gate: the verdict in server/test_retries.py; ranks without an agent in agent/test_restart.py
def test_a_gang_over_two_hosts_ends_with_the_node_whose_agent_is_killed(data_dir: Path) -> None:
    with running_cluster(data_dir, 2) as cluster:
        gang = cluster.start_gang(ranks=2)
        with limit(DEAD_NODE_SECONDS):
            cluster.agent(gang.hosts[-1]).kill()
            cluster.wait_for_reason(gang.job_id)
        assert verdict(cluster, gang) == lost(gang, -1)
        for host in gang.hosts:
            eventually(lambda host=host: not cluster.programs(host, "ringscope.rank"), f"the end of the rank on {host}")
        spooled = cluster.spooled(gang.attempt_id)
        cluster.heal(gang.hosts[-1])
        assert_clean(cluster, gang, spooled)


@pytest.mark.long  # as above, of three ranks
def test_a_node_whose_agent_is_killed_is_lost_and_its_ranks_end_without_it(cluster: Cluster) -> None:
    gang = cluster.start_gang()
    killed = time.monotonic()
    with limit(DEAD_NODE_SECONDS):
        cluster.agent(gang.hosts[-1]).kill()
        cluster.wait_for_reason(gang.job_id)
    assert verdict(cluster, gang) == lost(gang, -1)
    left = killed + OUTLIVING_SECONDS - time.monotonic()
    eventually(lambda: not cluster.programs(gang.hosts[-1]), "the end of what the agent left", left)
    spooled = cluster.spooled(gang.attempt_id)
    cluster.heal(gang.hosts[-1])
    assert_clean(cluster, gang, spooled)


@pytest.mark.long
@pytest.mark.parametrize("place", [-1, 0])
def test_a_node_that_is_cut_off_is_lost_and_the_job_goes_on_elsewhere(cluster: Cluster, place: int) -> None:
    gang = cluster.start_gang(max_attempts=2)
    with limit(DEAD_NODE_SECONDS):
        cluster.hosts.cut(gang.hosts[place])
        cluster.wait_for_reason(gang.job_id)
    assert verdict(cluster, gang) == lost(gang, place)
    spooled = cluster.spooled(gang.attempt_id)
    assert_goes_on_without(cluster, gang, gang.hosts[place])
    cluster.heal(gang.hosts[place])
    assert_clean(cluster, gang, spooled)


@pytest.mark.long
def test_a_node_whose_agent_stands_still_is_lost_and_cleans_up_once_it_goes_on(cluster: Cluster) -> None:
    gang = cluster.start_gang()
    paused = time.monotonic()
    with limit(DEAD_NODE_SECONDS):
        cluster.agent(gang.hosts[-1]).suspend()
        cluster.wait_for_reason(gang.job_id)
    assert verdict(cluster, gang) == lost(gang, -1)
    spooled = cluster.spooled(gang.attempt_id)
    time.sleep(max(0.0, paused + PAUSE_SECONDS - time.monotonic()))
    cluster.agent(gang.hosts[-1]).resume()
    assert_clean(cluster, gang, spooled)


def lost(gang: Gang, place: int) -> tuple[str, str, str]:
    """The verdict about a lost node of the gang."""
    host, rank = gang.hosts[place], range(len(gang.hosts))[place]
    sentence = f"Node {host} with rank {rank} is lost: its agent has stopped sending heartbeats."
    return "node_lost", sentence, host


def assert_succeeded(cluster: Cluster, gang: Gang, cycles: int, lossy_ranks: tuple[int, ...] = ()) -> None:
    """The first attempt did it, every sum was right, and every row and step is there."""
    job = cluster.ended(gang.job_id)
    assert (job.state, job.reason, len(job.attempts)) == ("succeeded", "completed", 1), job.message
    rows = cluster.everything(gang.job_id, "measurements")
    assert [row["wrong"] for row in rows] == [0] * 2 * cycles
    told = dict.fromkeys(range(RANKS), 0)
    for _, rank, _step in cluster.stored(gang.attempt_id):
        told[rank] += 1
    assert {rank: steps for rank, steps in told.items() if rank not in lossy_ranks} == {
        rank: 2 * ITERATIONS * cycles for rank in told if rank not in lossy_ranks
    }


@pytest.mark.long  # the gate does so without links: tests/cluster/jobs/test_jobs.py
def test_a_job_survives_a_server_that_is_killed_and_started_again(cluster: Cluster) -> None:
    cycles = 150
    gang = cluster.start_gang(cycles)
    assert cluster.server is not None
    cluster.server.kill()
    cluster.server.wait()
    spooled = cluster.spooled(gang.attempt_id)
    cluster.start_server()
    assert_succeeded(cluster, gang, cycles)
    assert_clean(cluster, gang, spooled)


@pytest.mark.long
@pytest.mark.parametrize("fault", ["stopped", "killed"])
def test_a_job_survives_a_server_that_is_away_for_a_minute(cluster: Cluster, fault: str) -> None:
    cycles = 300
    gang = cluster.start_gang(cycles)
    assert cluster.server is not None
    server = psutil.Process(cluster.server.pid)
    # At full speed the job would be over before the server is back; so it takes two minutes at least.
    cluster.hosts.degrade(gang.hosts[-1], SLOW_BIT_PER_S, None, None)
    ranks = [cluster.program(host, "python3") for host in gang.hosts]
    if fault == "stopped":
        server.suspend()
    else:
        server.kill()
        cluster.server.wait()
    time.sleep(SERVER_AWAY_SECONDS)
    assert [cluster.program(host, "python3") for host in gang.hosts] == ranks, "the same ranks run on without it"
    spooled = cluster.spooled(gang.attempt_id)
    eventually(lambda: cluster.spooled(gang.attempt_id) > spooled, "more steps, still without it")
    cluster.heal(gang.hosts[-1])
    if fault == "stopped":
        server.resume()
    else:
        cluster.start_server()
    assert_succeeded(cluster, gang, cycles)
    assert_clean(cluster, gang, spooled)


@pytest.mark.long
def test_a_slow_link_makes_a_job_slower_and_ends_nothing(cluster: Cluster) -> None:
    cycles = 150
    gang = cluster.start_gang(cycles)
    cluster.hosts.degrade(gang.hosts[-1], SLOW_BIT_PER_S, None, None)
    wait_for_rows(cluster, gang, 4)
    since_ns = time.time_ns()
    wait_for_rows(cluster, gang, 4)
    until_ns = time.time_ns()
    cluster.heal(gang.hosts[-1])
    assert_succeeded(cluster, gang, cycles)
    [row] = cluster.sql(
        "SELECT AVG(duration_us) AS mean_us FROM steps WHERE attempt_id = ? AND started_at_ns BETWEEN ? AND ?",
        *(gang.attempt_id, since_ns, until_ns),
    )
    sent_bytes = 2 * (RANKS - 1) / RANKS * MESSAGE_BYTES
    assert row["mean_us"] > 0.7 * sent_bytes / (SLOW_BIT_PER_S / 8) * 1e6
    assert_clean(cluster, gang, cluster.spooled(gang.attempt_id))


@pytest.mark.long
def test_a_slow_link_is_named_where_it_shows_and_nobody_behind_it_is_called_slow(cluster: Cluster) -> None:
    """Only the ranks behind the slow link end later in a broadcast; in the ring of the test above all ranks do."""
    gang = cluster.start_gang(ranks=len(cluster.names), collective="broadcast", algorithms=["tree"])
    cluster.hosts.degrade(gang.hosts[-1], VERY_SLOW_BIT_PER_S, None, None)
    with cluster.client() as client:

        def told(kind: str) -> list[Insight]:
            return [insight for insight in client.insights(gang.job_id) if insight.kind == kind]

        eventually(lambda: told("slow_link"), "the insight of the slow link")
        wait_for_rows(cluster, gang, 8)
        assert [(insight.node, insight.until) for insight in told("slow_link")] == [(gang.hosts[-1], None)]
        assert told("late_rank") == []
        # Where the machine is crowded some rank may well be without a core.
        assert [found for found in told("straggler") if found.evidence["measure"] == "own_share"] == []
        cluster.heal(gang.hosts[-1])
        client.cancel(gang.job_id)
    assert cluster.ended(gang.job_id).reason == "user_cancelled"
    assert_clean(cluster, gang, cluster.spooled(gang.attempt_id))


@pytest.mark.long
def test_a_link_that_loses_one_packet_of_twenty_spoils_no_sum(cluster: Cluster) -> None:
    cycles = 150
    gang = cluster.start_gang(cycles)
    before = sent_again(cluster, gang.hosts[-1])
    cluster.hosts.degrade(gang.hosts[-1], None, None, 0.05)
    wait_for_rows(cluster, gang, 10)
    eventually(lambda: sent_again(cluster, gang.hosts[-1]) > before + 10, "ten segments sent again")
    cluster.heal(gang.hosts[-1])
    assert_succeeded(cluster, gang, cycles)
    assert_clean(cluster, gang, cluster.spooled(gang.attempt_id))


def wait_for_rows(cluster: Cluster, gang: Gang, more: int) -> None:
    """Wait until ``more`` rows were added to the table."""
    count = "SELECT COUNT(*) AS rows FROM measurements WHERE attempt_id = ?"
    before = cluster.sql(count, gang.attempt_id)[0]["rows"]
    eventually(lambda: cluster.sql(count, gang.attempt_id)[0]["rows"] >= before + more, f"{more} more rows")


def sent_again(cluster: Cluster, host: str) -> int:
    """TCP segments that the host has sent again."""
    command = cluster.hosts.layout().inside(cluster.names.index(host), ["cat", "/proc/net/snmp"])
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    names, values = (line.split() for line in told if line.startswith("Tcp:"))
    return int(values[names.index("RetransSegs")])


def assert_goes_on_without(cluster: Cluster, gang: Gang, bad: str) -> None:
    """A second attempt runs on all hosts but the one to blame; then the job is cancelled."""
    cluster.wait_for_state(gang.job_id, "running")
    second = cluster.attempts(gang.job_id)[-1]
    assert second["number"] == 2
    assert {member["node"] for member in cluster.members(second["id"])} == {*cluster.names} - {bad}
    with cluster.client() as client:
        client.cancel(gang.job_id)
    assert cluster.ended(gang.job_id).reason == "user_cancelled"


@contextmanager
def small_disk(cluster: Cluster, host: str) -> Iterator[Path]:
    """The host's agent is started again, with a data directory on a small disk."""
    folder = next(found.folder for found in cluster.hosts.hosts if found.name == host)

    def restart(*command: str) -> None:
        agent = cluster.agent(host)
        agent.terminate()
        eventually(lambda: not cluster.programs(host), f"the end of the agent of {host}")
        subprocess.run(command, check=True)
        cluster.heal(host)
        cluster.wait_until_ready()

    restart("mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        restart("umount", "--lazy", str(folder))


@pytest.mark.long
def test_a_full_disk_costs_records_and_no_job(cluster: Cluster) -> None:
    cycles, host = 150, cluster.names[2]
    with small_disk(cluster, host) as disk:
        gang = cluster.start_gang(cycles)
        assert gang.hosts[-1] == host
        [node] = cluster.sql("SELECT metrics_address FROM nodes WHERE name = ?", host)
        ballast = fill(disk)
        eventually(lambda: records_lost(node["metrics_address"]) > 1, "records that are lost")
        ballast.unlink()
        spooled = cluster.spooled(gang.attempt_id)
        assert_succeeded(cluster, gang, cycles, lossy_ranks=(2,))
        told = [line["text"] for line in cluster.everything(gang.job_id, "log") if line["stream"] == "agent"]
        assert told[0] == "This node's disk is full, and records are lost; the job goes on."
        assert told[-1].endswith("records were lost, because this node's disk was full.")
        assert_clean(cluster, gang, spooled, lossy_ranks=(2,))
    assert_nothing_runs(cluster)
    assert os.path.ismount(disk) is False
