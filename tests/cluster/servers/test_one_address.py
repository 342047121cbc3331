"""Two agents of one machine have the same address, as they do if no address was given."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.cluster.lab import SLOTS, Lab, eventually, running, running_lab


@pytest.mark.long  # the gate has the names that Hydra gets: tests/agent/launch/test_hydra.py
def test_a_gang_over_two_agents_with_one_address_starts_and_succeeds(data_dir: Path) -> None:
    with running_lab(data_dir) as (lab, _), running(second_agent(lab)):
        with lab.client() as client:
            eventually(lambda: [node.observed for node in client.nodes()] == ["ready"] * 2, "two ready nodes")
            nodes = client.nodes()
            assert len({node.address for node in nodes}) == 1
        ranks = SLOTS + 2
        sweep = ("-e", "64", "-n", "2", "--algorithm", "ring", "--max-attempts", "1")
        done = lab.run("submit", "--wait", "--json", "--ranks", str(ranks), *sweep)
        assert done.returncode == 0, done.stdout + done.stderr
        job = json.loads(done.stdout)
        assert job["state"] == "succeeded"
        assert sorted(job["attempts"][0]["nodes"]) == sorted(node.name for node in nodes)


def second_agent(lab: Lab) -> subprocess.Popen[str]:
    """Start another agent on the same machine, as the page describes."""
    join = ("--join-token-file", str(lab.data_dir / "join-token"))
    flags = ("--server", lab.url, "--name", "second", "--slots", str(SLOTS), "--metrics-port", "0")
    return lab.start("agent", *flags, "--data-dir", str(lab.data_dir / "second"), *join)
