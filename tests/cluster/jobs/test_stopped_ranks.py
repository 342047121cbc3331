"""A rank that is stopped (SIGSTOP) on a real cluster: named in time, its slots free again, the next job unharmed."""

import json
import time
from pathlib import Path

import pytest
from tests.cluster.lab import eventually, running_lab

pytestmark = pytest.mark.long

TARGET_SECONDS = 10.0


def test_a_stopped_rank_is_named_in_time_and_the_next_job_succeeds(data_dir: Path) -> None:
    with running_lab(data_dir) as (lab, _):
        sweep = ("-b", "1M", "-e", "1M", "-n", "1000000", "--algorithm", "ring", "--max-attempts", "1")
        job_id = json.loads(lab.run("submit", "--json", "--ranks", "4", *sweep).stdout)["id"]
        lab.wait_for_state(job_id, "running")
        victim = eventually(lambda: [rank for rank in lab.ranks() if rank.environ().get("PMI_RANK") == "2"], "rank 2")
        victim[0].suspend()
        stopped_at = time.monotonic()
        lab.wait_for_state(job_id, "stopping", "failed")
        named_seconds = time.monotonic() - stopped_at
        job = lab.wait_for_state(job_id, "failed")
        assert named_seconds < TARGET_SECONDS, f"named after {named_seconds:.1f} s"
        with lab.client() as client:
            node = client.nodes()[0].name
        assert job.reason == "hang_detected"
        assert job.message.startswith(f"Rank 2 on node {node} (pid {victim[0].pid}) has been stopped for ")
        assert job.attempts[0].bad_node == node
        assert lab.ranks() == []
        done = lab.run("submit", "--wait", "--json", "--ranks", "4", "-e", "64", "-n", "2")
        assert (done.returncode, json.loads(done.stdout)["state"]) == (0, "succeeded"), done.stderr
