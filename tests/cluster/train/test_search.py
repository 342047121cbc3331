"""A strategy search through the server, on real ranks: its verdict, and a rank that is killed during a run."""

import json
import signal
import sqlite3
from contextlib import closing
from statistics import mean

import pytest
from tests.cluster.lab import SLOTS, Lab, eventually
from tests.cluster.train.test_jobs import rank_programs

from ringscope.client import Search

pytestmark = pytest.mark.long

NAMES = ["mirrored-ring", "parameter_server-sync", "torch_ddp"]
JOB_SECONDS = 400.0
JOB = {
    "kind": "strategy_search",
    "strategy_search": {"strategies": NAMES, "budget_seconds": 90},
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
    (algorithm, transport), time_us = measured_sum(lab, found["job"])
    assert (algorithm, transport) == ("ring", "shared_memory")
    # The table has the mean rank's time, with the waiting for the last one.
    assert 0 < time_us <= lines["mirrored-ring"]["communication_us"]
    training = {"strategy": "mirrored", "model": "mlp", "all_reduce": "ring"}
    with lab.client() as client:
        told = client.predict_training({"kind": "training", "training": training, "placement": {"ranks": SLOTS}})
    assert told.baseline is not None and told.baseline.job_id == found["job"]
    assert told.baseline.samples_per_second == pytest.approx(lines["mirrored-ring"]["samples_per_second"])
    assert told.gradient_sum is not None and told.gradient_sum.source.startswith("Measured by")


def measured_sum(lab: Lab, job_id: int) -> tuple[tuple[str, str], float]:
    """Return algorithm and transport of the only sum of a step, and the mean of its times over the runs."""
    (path,) = lab.data_dir.glob("*.sqlite3")
    query = "SELECT told FROM search_records r JOIN attempts a ON a.id = r.attempt_id WHERE a.job_id = ?"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
        told = [json.loads(text) for (text,) in file.execute(query, (job_id,))]
    sums = [each for record in told for each in record.get("sums", ())]
    (name,) = {(each["algorithm"], each["transport"]) for each in sums}
    assert len(sums) >= 3 and len({each["size_bytes"] for each in sums}) == 1, sums
    return name, mean(each["time_us"] for each in sums)


def is_running(search: Search, name: str) -> bool:
    return search.runs >= len(NAMES) and search.running is not None and search.running.name == name


def test_a_killed_rank_costs_its_run_and_not_the_search(lab: Lab) -> None:
    with lab.client() as client:
        job_id = client.submit(JOB).id
        # Of torch_ddp, whose other rank notices its closed connections before anybody else notices the killed rank.
        eventually(lambda: is_running(client.search(job_id), NAMES[2]), f"a later run of {NAMES[2]}")
        rank_programs(lab)[1].send_signal(signal.SIGKILL)
        eventually(lambda: client.job(job_id).is_finished, "the end of the search", JOB_SECONDS)
        job, found = client.job(job_id), client.search(job_id)
        lost = list(client.events({"target_type": "job", "target_id": str(job_id), "action": "search.run_lost"}))
    assert job.state == "succeeded", job.message
    assert [attempt.reason for attempt in job.attempts] == ["rank_signal", "completed"]
    assert all(line.runs >= 3 for line in found.candidates)
    assert len(lost) == 1 and "was killed" in lost[0].message, lost
