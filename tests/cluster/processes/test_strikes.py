"""A hundred jobs, in each of which one process of ours is stopped or killed at any moment of the job's life.

Each job ends in the state that fits and names what failed; none is late; no process is left. RINGSCOPE_STRIKES says how
many jobs there are, RINGSCOPE_STRIKES_SEED repeats the choices of a run.
"""

import os
import random
import signal
import statistics
import time
from collections import Counter
from dataclasses import dataclass

import psutil
import pytest
from tests.cluster.lab import eventually
from tests.cluster.processes.test_watch import AWAY_SECONDS, LATE_SECONDS, LOST_SECONDS, NAMES
from tests.cluster.processes.two_nodes import NODES, TwoNodes, is_it, running_nodes

from ringscope.client.jobs import Job
from ringscope.rank.load import crowding

pytestmark = pytest.mark.long

JOBS = 100
MOST_DELAY_SECONDS = 3.0  # a job takes about as long, with its start
STEPS = 100
LINGER_SECONDS = 0.5
STOP_IS_SEEN_SECONDS = 5.0
WHO = ("mpiexec", "hydra_pmi_proxy", "shim", "spare shim", "agent", "rank")


@dataclass
class Strike:
    """A signal that was sent to a process, and how its job ended."""

    who: str
    number: signal.Signals
    pid: int
    job: Job
    seconds: float  # from the strike to the end of the job
    told: str
    most_crowding: float

    @property
    def late_seconds(self) -> float:
        """The time of the job's end beyond what it takes to see the strike and what a job takes."""
        sight_seconds = LOST_SECONDS if self.who == "agent" else STOP_IS_SEEN_SECONDS * (self.number == signal.SIGSTOP)
        return max(0.0, self.seconds - sight_seconds - MOST_DELAY_SECONDS)

    def fits(self) -> bool:
        """Return whether the job's end is one that the strike causes, and names the process that was hit."""
        if self.job.state == "succeeded":
            return self.told.count("all is done") == 2
        if self.job.state != "failed":
            return False
        if self.who == "agent":
            return self.job.reason in ("node_lost", "agent_restarted") and any(name in self.told for name in NODES)
        is_pid_told = self.number != signal.SIGSTOP or f"(pid {self.pid})" in self.told
        # A spare shim may get its task before the signal.
        return NAMES[self.who.removeprefix("spare ")] in self.told and is_pid_told

    def __str__(self) -> str:
        end = f"{self.job.state} {self.job.reason}: {self.job.message}"
        late = f"late by {self.late_seconds:.1f} s at {self.most_crowding:.1f} processes for each core"
        return f"job {self.job.id}, {self.who} {self.number.name} (pid {self.pid}): {late}, {end}"


def victims(nodes: TwoNodes) -> dict[str, list[psutil.Process]]:
    """The processes of ours that live now, by what they are."""
    found: dict[str, list[psutil.Process]] = {"agent": [nodes.agent(node) for node in NODES]}
    for process in nodes.processes():
        try:
            who = next((who for who in ("mpiexec", "hydra_pmi_proxy", "shim", "rank") if is_it(who, process)), None)
            if who is None and is_it("spare shim", process):
                who = "spare shim"
        except psutil.Error:
            continue
        if who is not None:
            found.setdefault(who, []).append(process)
    return found


def strike(nodes: TwoNodes, chance: random.Random) -> Strike:
    hosts, wanted = chance.choice((1, 2)), chance.choice(WHO)
    number = chance.choice((signal.SIGSTOP, signal.SIGKILL))
    job_id = nodes.submit(hosts, STEPS, LINGER_SECONDS)
    time.sleep(chance.uniform(0.0, MOST_DELAY_SECONDS))
    while True:
        living = victims(nodes)
        who = wanted if wanted in living else chance.choice(sorted(living))
        victim = chance.choice(sorted(living[who], key=lambda process: process.pid))
        try:
            victim.send_signal(number)
            break
        except psutil.NoSuchProcess:
            continue
    began, most_crowding = time.monotonic(), crowding()
    with nodes.client() as client:
        while not client.job(job_id).is_finished and time.monotonic() < began + 120.0:
            most_crowding = max(most_crowding, crowding())
            time.sleep(0.1)
        job = client.job(job_id)
    seconds = time.monotonic() - began
    return Strike(who, number, victim.pid, job, seconds, " ".join([job.message, *nodes.lines(job_id)]), most_crowding)


def test_a_hundred_jobs_end_in_time_and_in_the_right_state_whatever_is_stopped_or_killed() -> None:
    seed = int(os.environ.get("RINGSCOPE_STRIKES_SEED") or random.randrange(1_000_000))
    chance, count = random.Random(seed), int(os.environ.get("RINGSCOPE_STRIKES") or JOBS)
    print(f"seed {seed}")  # noqa: T201 - pytest -rP shows it
    strikes: list[Strike] = []
    bad: list[str] = []
    with running_nodes() as nodes:
        for _ in range(count):
            nodes.wait_until_ready()
            strikes.append(strike(nodes, chance))
            print(strikes[-1], flush=True)  # noqa: T201
            if not strikes[-1].fits():
                bad.append(f"does not fit: {strikes[-1]}")
            if strikes[-1].late_seconds > LATE_SECONDS:
                bad.append(f"late: {strikes[-1]}")
            if strikes[-1].job.is_finished:
                nodes.restart_agents()
                try:
                    eventually(lambda: nodes.left_over() == [], "the end of it all", AWAY_SECONDS + LATE_SECONDS)
                except AssertionError:
                    bad.append(f"left over: {nodes.left_over()} after {strikes[-1]}")
            else:
                with nodes.client() as client:
                    client.cancel(strikes[-1].job.id)
    late = [one.late_seconds for one in strikes]
    print(f"late by {statistics.median(late):.1f} s (median), {max(late):.1f} s (worst)")  # noqa: T201
    for what, times in sorted(
        Counter(f"{one.who} {one.number.name}: {one.job.state} {one.job.reason}" for one in strikes).items()
    ):
        print(f"{times:4} {what}")  # noqa: T201
    assert bad == []
