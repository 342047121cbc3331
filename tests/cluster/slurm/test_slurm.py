"""Nodes from a real batch system: they join, run gangs, are drained in time and leave with their allocation."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.cluster.lab import eventually
from tests.cluster.slurm.batch_system import CPUS
from tests.cluster.slurm.conftest import Site

SWEEP = ("-b", "1K", "-e", "64K", "-f", "8", "-n", "5", "-w", "1", "--algorithm", "ring,mpi")
ENDLESS = ("-b", "1M", "-e", "1M", "-n", "1000000", "--algorithm", "ring")
BOTH_NODES = ("--ranks", str(2 * CPUS), "--ranks-per-node", str(CPUS))


def submitted(site: Site, *flags: str) -> dict[str, Any]:
    done = site.lab.run("submit", "--json", *flags)
    assert done.returncode == 0, done.stdout + done.stderr
    job: dict[str, Any] = json.loads(done.stdout)
    return job


def names_of(batch_job: str) -> list[str]:
    return [f"slurm-{batch_job}-{node}" for node in ("n1", "n2")]


def left_in_good_order(site: Site, names: list[str]) -> bool:
    """Return whether each of these nodes reported its own departure."""
    with site.lab.client() as client:
        left = [event for event in client.events({"action": "node.left"}) if event.target_id in names]
    return sorted(event.actor for event in left) == [f"node/{name}" for name in names]


@pytest.mark.long
def test_an_allocation_brings_nodes_that_leave_before_its_end(site: Site) -> None:
    batch_job = site.allocate("--time", "1", "--partition", "main")
    names = names_of(batch_job)
    nodes = site.nodes()
    assert [node.name for node in nodes] == names
    assert {node.slots_total for node in nodes} == {CPUS}
    assert [node.address for node in nodes] == ["127.0.0.1", "127.0.0.2"]
    assert nodes[0].labels == {"slurm_job": batch_job, "slurm_partition": "main"}
    ends = datetime.fromisoformat(site.slurm.run("squeue", "-h", "-j", batch_job, "-o", "%e")).astimezone(UTC)
    assert {node.leaves_at for node in nodes} == {ends}

    drained = eventually(lambda: [node for node in site.nodes() if node.desired == "drain"], "the drain")
    assert {node.desired_by for node in drained} == {"system"}
    assert datetime.now(UTC) < ends
    site.wait_until_gone()
    assert datetime.now(UTC) < ends
    assert site.slurm.state(batch_job) == "COMPLETED"
    assert left_in_good_order(site, names)


@pytest.mark.long
def test_gangs_run_on_both_nodes_until_scancel_ends_everything_in_good_order(site: Site) -> None:
    batch_job = site.allocate("--time", "10", "--slots", str(CPUS))
    done = submitted(site, *SWEEP, *BOTH_NODES, "--time-limit", "120", "--wait")
    assert (done["state"], done["reason"]) == ("succeeded", "completed")
    assert done["attempts"][0]["nodes"] == names_of(batch_job)

    too_long = submitted(site, *SWEEP, *BOTH_NODES, "--time-limit", "3600")["id"]
    pending = eventually(lambda: site.lab.job(too_long).pending, "a reason to wait")
    assert pending.sentence.startswith("Waits for slots: 2 nodes must be free again by ")
    assert pending.sentence.endswith(
        "UTC, before its time limit of 3600 s would be over; give it a shorter --time-limit, or wait for other nodes."
    )

    running = submitted(site, *ENDLESS, *BOTH_NODES, "--time-limit", "300", "--max-attempts", "1")
    site.lab.wait_for_state(running["id"], "running")
    site.slurm.run("scancel", batch_job)
    ended = site.lab.wait_for_state(running["id"], "failed")
    assert ended.reason == "agent_restarted"
    assert ended.message.startswith(f"The agent of node slurm-{batch_job}-n")
    assert ended.message.endswith(" was stopped: its allocation ended.")
    site.wait_until_gone()
    assert site.slurm.state(batch_job) == "CANCELLED"
    assert left_in_good_order(site, names_of(batch_job))
    assert site.lab.run("cancel", str(too_long)).returncode == 0


@pytest.mark.long
def test_a_time_limit_that_comes_while_a_job_runs_ends_it_in_good_order_and_it_is_tried_again(site: Site) -> None:
    batch_job = site.allocate("--time", "10", "--slots", str(CPUS))
    job_id = submitted(site, *ENDLESS, *BOTH_NODES, "--time-limit", "300", "--max-attempts", "2")["id"]
    site.lab.wait_for_state(job_id, "running")
    # The nodes were promised ten minutes, so the job was given to them: now they have one, counted from their start.
    site.slurm.run("scontrol", "update", f"JobId={batch_job}", "TimeLimit=1")
    site.lab.wait_for_state(job_id, "queued")
    first = site.lab.job(job_id).attempts[0]
    assert first.reason == "agent_restarted"
    assert first.message.startswith(f"The agent of node slurm-{batch_job}-n")
    assert first.message.endswith(" was stopped: its allocation ended.")
    site.wait_until_gone()
    assert site.slurm.state(batch_job) == "TIMEOUT"
    assert left_in_good_order(site, names_of(batch_job))
    waiting = site.lab.job(job_id)
    assert (waiting.state, len(waiting.attempts)) == ("queued", 1), "there is no node left to try it on"
    assert site.lab.run("cancel", str(job_id)).returncode == 0


def test_what_slurm_refuses_is_told_in_one_sentence_and_leaves_no_token(site: Site) -> None:
    with site.lab.client() as client:
        before = [token.id for token in client.tokens()]
        done = site.lab.run_here("slurm", "--nodes", "1", "--time", "1", "--partition", "nowhere")
        assert (done.returncode, done.stdout) == (2, "")
        assert (
            done.stderr
            == "Slurm refuses the batch job: Batch job submission failed: Invalid partition name specified\n"
        )
        assert [token.id for token in client.tokens()] == before
