"""Programs are silent, load for long, or end early: silence is no hang, and an early end is reported at once."""

import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.cluster.lab import Lab, running_lab

from ringscope.client import Job

TOLD_SECONDS = 6.0  # three times what it may take where nothing else runs
QUIET = """
import time
from mpi4py import MPI
end = time.monotonic() + 85
while MPI.COMM_WORLD.allreduce(time.monotonic() < end):
    time.sleep(0.5)
"""
LONG_LOAD = """
import time
import ringscope
time.sleep(75 if ringscope.init().rank else 0)
ringscope.all_reduce(ringscope.empty(4))
"""
EARLY = """
import numpy, sys, time
import ringscope
comm = ringscope.init()
x = numpy.ones(1000, numpy.float32)
comm.all_reduce(x)
print("ready", time.time(), flush=True)
{end}
{call}
"""
CALLS = {
    "all_reduce": "comm.all_reduce(x)",
    "barrier": "comm.barrier()",
    "library": "comm.all_reduce(x, algorithm='mpi')",
    "registered": "y = ringscope.empty(1000); comm.all_reduce(y)",
}
ENDS = {
    "return": "if comm.rank == 1: sys.exit(0)",
    "code 0": "import os\nif comm.rank == 1: os._exit(0)",
    "code 3": "import os\nif comm.rank == 1: os._exit(3)",
    "killed": "import os, signal\nif comm.rank == 1: os.kill(os.getpid(), signal.SIGKILL)",
}
MPI_ALONE = """
import numpy, sys
from mpi4py import MPI
comm, x = MPI.COMM_WORLD, numpy.ones(1000, numpy.float32)
for step in range(5):
    if step == 3 and comm.rank == 1:
        sys.exit(0)
    comm.{call}
"""
# Two groups of the same ranks, whose sums they ask for in different orders.
CROSSED = """
import numpy
import ringscope
comm = ringscope.init()
groups = comm.split(0), comm.split(0)
x = numpy.ones(4, numpy.float32)
for group in groups if comm.rank == 0 else reversed(groups):
    group.all_reduce(x)
"""


@pytest.fixture(scope="module")
def scripts() -> Iterator[tuple[Lab, Path]]:
    with (
        TemporaryDirectory(prefix="ringscope-") as path,
        TemporaryDirectory() as folder,
        running_lab(Path(path), RINGSCOPE_SCRIPTS=folder) as (lab, _),
    ):
        yield lab, Path(folder)


def submitted(scripts: tuple[Lab, Path], content: str, **fields: Any) -> int:
    lab, folder = scripts
    (folder / "job.py").write_text(content)
    body = {"kind": "script", "script": {"file": "job.py"}, "placement": {"ranks": 2}, "max_attempts": 1} | fields
    with lab.client() as client:
        return client.submit(body).id


def ended(scripts: tuple[Lab, Path], job_id: int) -> Job:
    return scripts[0].wait_for_state(job_id, "succeeded", "failed")


@pytest.mark.long
@pytest.mark.parametrize("content", [QUIET, LONG_LOAD], ids=["quiet", "one rank is late by 75 s"])
def test_a_program_that_is_silent_for_longer_than_a_minute_succeeds(scripts: tuple[Lab, Path], content: str) -> None:
    job = ended(scripts, submitted(scripts, content))
    assert (job.state, job.insights) == ("succeeded", []), job.message


@pytest.mark.long
def test_ranks_that_wait_for_each_other_in_calls_are_found_in_about_a_minute(scripts: tuple[Lab, Path]) -> None:
    job_id, began = submitted(scripts, CROSSED), time.monotonic()
    job = ended(scripts, job_id)
    assert job.reason == "hang_detected" and time.monotonic() - began < 100, job.message
    assert "waiting for rank 1 in a call since " in job.message
    assert "waiting for rank 0 in a call since " in job.message


@pytest.mark.long
def test_a_script_with_hang_seconds_is_held_to_it(scripts: tuple[Lab, Path]) -> None:
    job = ended(scripts, submitted(scripts, "import time; time.sleep(60)", hang_seconds=3))
    assert job.reason == "hang_detected" and "for 3 s (limit 3 s)" in job.message, job.message


@pytest.mark.long
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("call", CALLS)
def test_a_rank_that_ends_while_another_waits_for_it_is_named_at_once(
    scripts: tuple[Lab, Path], call: str, end: str
) -> None:
    lab, _ = scripts
    job_id = submitted(scripts, EARLY.format(end=ENDS[end], call=CALLS[call]))
    job = ended(scripts, job_id)
    assert job.state == "failed" and job.attempts[0].bad_rank == 1, job.message
    (stopping,) = (event for event in lab.everything(job_id, "events") if event["action"] == "job.stopping")
    (ready,) = (
        line["text"] for line in lab.everything(job_id, "log") if line["text"].startswith("ready") and line["rank"] == 1
    )
    told_seconds = datetime.fromisoformat(stopping["time"]).timestamp() - float(ready.split()[1])
    assert told_seconds < TOLD_SECONDS, f"{told_seconds:.2f} s"
    words = {
        "return": "rank 1 has ended its program without an error",
        "code 0": "ended with exit code 0 before it had finished its program",
        "code 3": "ended with exit code 3",
        "killed": "was killed by SIGKILL (9)",
    }
    assert words[end] in job.message, job.message


@pytest.mark.long
@pytest.mark.parametrize("call", ["Allreduce(MPI.IN_PLACE, x)", "barrier()", "Barrier()"])
def test_a_rank_that_ends_while_another_waits_in_mpi4py_is_named(scripts: tuple[Lab, Path], call: str) -> None:
    job = ended(scripts, submitted(scripts, MPI_ALONE.format(call=call)))
    assert (job.state, job.attempts[0].bad_rank) == ("failed", 1), job.message
    assert "rank 1 has ended its program without an error" in job.message.lower().replace(" on node vm", "")
    assert f"has been in {call.split('(')[0]} of mpi4py" in job.message
