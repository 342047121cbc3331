"""A strategy search through the server, on real ranks: its verdict, and a rank that is killed during a run."""

import json
import signal

import pytest
from tests.cluster.lab import SLOTS, Lab, eventually
from tests.cluster.train.test_jobs import rank_programs

pytestmark = pytest.mark.long

NAMES = ["mirrored-no_overlap", "parameter_server-sync", "torch_ddp"]
JOB_SECONDS = 400.0
JOB = {
    "kind": "strategy_search",
    "strategy_search": {"strategies": NAMES, "budget_seconds": 240},
    "placement": {"ranks": 2},
}


def test_the_command_waits_and_prints_the_verdict(lab: Lab) -> None:
    words = ("mlp", "--dataset", "digits", "--ranks", str(SLOTS), "--budget", "2m", "--strategies", ",".join(NAMES))
    done = lab.run("search-strategies", *words, "--json", seconds=JOB_SECONDS)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    lines = {line["name"]: line for line in found["candidates"]}
    assert set(lines) == set(NAMES)
    for line in lines.values():
        assert line["runs"] >= 3 and line["samples_per_second"] > 0, line
        parts = line["compute_us"] + line["input_us"] + line["exposed_us"]
        assert parts == pytest.approx(line["step_us"], rel=0.3), line
        assert line["exchanged_bytes"] > 0 and line["peak_bytes"] > 10 << 20
        # In all three a rank sends the gradient 2 (p - 1) / p times, as the mean over the ranks.
        assert line["sent_bytes"] == pytest.approx(2 * (SLOTS - 1) / SLOTS * line["exchanged_bytes"], rel=0.1), line
        assert line["same_bits"] is (line["difference"] == 0) and line["difference"] < 1e-4, line
    assert found["winner"] is None or lines[found["winner"]]["state"] == "winner"
    assert found["sentence"].startswith(found["winner"] or "No clear winner")


def test_a_killed_rank_costs_its_run_and_not_the_search(lab: Lab) -> None:
    with lab.client() as client:
        job_id = client.submit(JOB).id
        eventually(lambda: client.search(job_id).runs >= 2, "the second run")
        rank_programs(lab)[1].send_signal(signal.SIGKILL)
        eventually(lambda: client.job(job_id).is_finished, "the end of the search", JOB_SECONDS)
        job, found = client.job(job_id), client.search(job_id)
        lost = list(client.events({"target_type": "job", "target_id": str(job_id), "action": "search.run_lost"}))
    assert job.state == "succeeded", job.message
    assert [attempt.reason for attempt in job.attempts] == ["rank_signal", "completed"]
    assert all(line.runs >= 3 for line in found.candidates)
    assert len(lost) == 1 and "was killed" in lost[0].message, lost
