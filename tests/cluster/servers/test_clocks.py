"""Clocks as a real agent measures them against a real server: here both read the same one, so the truth is known."""

import json

import pytest
from tests.cluster.lab import Lab

pytestmark = pytest.mark.long


def test_what_a_job_says_of_its_nodes_clock_holds(lab: Lab) -> None:
    sweep = ("--ranks", "2", "--algorithm", "ring", "-b", "64K", "-e", "64K", "-n", "20")
    done = lab.run("submit", "--wait", "--json", *sweep)
    assert done.returncode == 0, done.stderr
    job_id = json.loads(done.stdout)["id"]
    with lab.client() as client:
        steps, arrivals = list(client.steps(job_id)), list(client.arrivals(job_id))
    assert len(steps) == 2 * len(arrivals) > 0
    for step in steps:
        assert step.server_time_ns is not None and step.clock_error_us is not None
        assert abs(step.server_time_ns - step.started_at_ns) / 1e3 <= step.clock_error_us
        assert step.clock_error_us < 1e6
    starts = {(step.rank, step.step): step.started_at_ns for step in steps}
    for arrival in arrivals:
        late_us = (starts[arrival.last_rank, arrival.step] - starts[1 - arrival.last_rank, arrival.step]) / 1e3
        assert abs(arrival.late_us - late_us) < 0.01
        assert (arrival.error_us, arrival.is_real) == (0, late_us > 0)
