"""One plan for a thousand waiting jobs on 256 nodes; dispatch_pass.py has it with its reading and writing.

    python -m benchmarks.server.plan_pass [RUNS]

Clusters are random but known (a seed each): racks, two kinds of GPUs, nodes that are nearly full; jobs of mixed shapes.
In the worst case every job has a shape of its own, so that nothing found for one job helps the next. On a busy machine
the clock also counts what others do: own work is the processor time of the pass.
"""

import cProfile
import pstats
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from statistics import median
from typing import Any

from benchmarks.command import Parser, count, exit_with
from benchmarks.report import Target, judged, say, watched

from ringscope.contracts.job import Placement
from ringscope_server.placement.plan import Plan, plan
from ringscope_server.placement.snapshot import NodeState, Policy, QueuedJob, RunningGang, Share, Snapshot

NODES, SLOTS, JOBS, RACKS, USERS = 256, 8, 1000, 16, 20
NOW = datetime(2026, 1, 1, tzinfo=UTC)
TARGET_MS = 100.0
DEFAULT = Policy()


@dataclass(frozen=True, slots=True)
class Scenario:
    """The kind of cluster and queue, and the policy."""

    name: str
    busy: float  # share of the slots that are held
    shapes: int  # different placements in the queue
    policy: Policy = DEFAULT
    skew: bool = False  # four sets of versions
    small: bool = False  # gangs of one or two ranks: all of them start
    leaving: bool = False  # half of the nodes leave, each at a time of its own


SCENARIOS = (
    Scenario("nearly full, 40 shapes", 0.95, 40),
    Scenario("nearly full, 1000 shapes", 0.95, 1000),
    Scenario("nearly full, 1000 shapes, four versions", 0.95, 1000, skew=True),
    Scenario("half full, 1000 shapes", 0.5, 1000),
    Scenario("empty, 1000 shapes", 0.0, 1000),
    Scenario("empty, 1000 small jobs that all start", 0.0, 1000, small=True),
    Scenario("half full, 1000 shapes, half the nodes leave", 0.5, 1000, leaving=True),
    Scenario("empty, 1000 small jobs, half the nodes leave", 0.0, 1000, small=True, leaving=True),
    Scenario("full, 1000 shapes", 1.0, 1000),
    Scenario("full, 1000 shapes, preemption", 1.0, 1000, Policy(allow_preemption=True)),
    Scenario("nearly full, 1000 shapes, cap of 64 slots", 0.95, 1000, Policy(max_running_slots_per_user=64)),
)


def snapshot(scenario: Scenario, seed: int, node_count: int = NODES, jobs: int = JOBS) -> Snapshot:
    """A random cluster with its gangs and its queue."""
    random = Random(seed)
    nodes = tuple(_node(number, random, scenario) for number in range(node_count))
    shapes = [_small(random) if scenario.small else _placement(random) for _ in range(scenario.shapes)]
    queue = tuple(_job(number, random, shapes, node_count) for number in range(jobs))
    usage = {f"user{number}": random.random() * 1e6 for number in range(USERS)}
    return Snapshot(nodes, tuple(_gangs(random, scenario.busy, node_count)), queue, usage)


def _node(number: int, random: Random, scenario: Scenario) -> NodeState:
    return NodeState(
        id=number,
        name=f"n{number:03}",
        slots=tuple(range(SLOTS)),
        labels={"rack": f"r{number % RACKS}", "pool": random.choice("ab")},
        versions={"ringscope": "0.1.0", "mpi4py": f"4.1.{random.randrange(4) if scenario.skew else 0}"},
        gpu_models=("NVIDIA H200",) * SLOTS if number % 2 else ("NVIDIA A100",) * SLOTS,
        gpu_memory_bytes=(141 if number % 2 else 80) << 30,
        memory_bytes=random.choice((256, 512)) << 30,
        free_by=NOW + timedelta(seconds=random.randrange(90_000)) if scenario.leaving and number % 4 < 2 else None,
    )


def _small(random: Random) -> Placement:
    return Placement.model_validate({"ranks": random.randint(1, 2), "same_rack": random.random() < 0.2})


def _placement(random: Random) -> Placement:
    fields: dict[str, Any] = {}
    match random.randrange(3):
        case 0:
            fields["ranks"] = random.randint(1, 512)
        case 1:
            fields["ranks_per_node"] = random.randint(1, 8)
            fields["ranks"] = fields["ranks_per_node"] * random.randint(1, 64)
        case _:
            fields["nodes"] = random.randint(1, 32)
            fields["ranks"] = random.randint(fields["nodes"], fields["nodes"] * 8)
    wishes: tuple[dict[str, object], ...] = (
        {"selector": {"pool": random.choice("ab")}},
        {"gpu_model": random.choice(("H200", "A100"))},
        {"exclusive": True},
        {"same_rack": True},
        {"arrangement": "spread"},
        {"min_memory_bytes": 300 << 30},
        {},
    )
    fields |= random.choice(wishes)
    if fields.get("same_rack"):  # a rack has 16 nodes
        fields["ranks"] = random.randint(1, 128)
        fields.pop("nodes", None)
        fields.pop("ranks_per_node", None)
    return Placement.model_validate(fields)


def _job(number: int, random: Random, shapes: list[Placement], nodes: int) -> QueuedJob:
    return QueuedJob(
        id=100_000 + number,
        placement=shapes[number % len(shapes)],
        user=f"user{random.randrange(USERS)}",
        priority=random.choice((30, 50, 50, 50, 70)),
        queued_at=NOW - timedelta(seconds=random.randrange(100_000)),
        time_limit_seconds=random.choice((60, 600, 3600, 86_400)),
        excluded_nodes=frozenset({f"n{random.randrange(nodes):03}"} if random.random() < 0.05 else ()),
    )


def _gangs(random: Random, busy: float, nodes: int) -> list[RunningGang]:
    """Small gangs, so that there are many ends to look at."""
    held = [(node, slot) for node in range(nodes) for slot in range(SLOTS) if random.random() < busy]
    gangs: list[RunningGang] = []
    while held:
        size = random.choice((1, 1, 2, 4, 8))
        mine, held = held[:size], held[size:]
        slots: dict[int, list[int]] = {}
        for node, slot in mine:
            slots.setdefault(node, []).append(slot)
        started = NOW - timedelta(seconds=random.randrange(3600))
        gangs.append(
            RunningGang(
                job_id=len(gangs),
                user=f"user{random.randrange(USERS)}",
                priority=random.choice((10, 30, 50)),
                shares=tuple(Share(node, tuple(numbers)) for node, numbers in slots.items()),
                started_at=started,
                ends_at=started + timedelta(seconds=random.randrange(3600, 86_400)),
            )
        )
    return gangs


def main(arguments: Sequence[str] | None = None) -> int:
    """Print each scenario's median and worst time, and what bounds the worst one; 1 when a target is missed."""
    parser = Parser(__doc__)
    parser.add_argument(
        "runs", nargs="?", type=count(), default=10, metavar="RUNS", help="of each scenario (%(default)s)"
    )
    runs = parser.parse_args(arguments).runs
    worst: dict[str, float] = {}
    with watched() as conditions:
        say("                                               own work: median, worst; by the clock: worst")
        for scenario in SCENARIOS:
            timed = [_timed(snapshot(scenario, seed), scenario.policy) for seed in range(runs)]
            own, clock = sorted(run[0] for run in timed), max(run[1] for run in timed)
            starts = median(len(run[2].starts) for run in timed)
            worst[scenario.name] = own[-1]
            say(f"  {scenario.name:45}{median(own):6.1f} ms {own[-1]:6.1f} ms {clock:8.1f} ms   {starts:.0f} start")
    say(f"({conditions}; {JOBS} jobs, {NODES} nodes of {SLOTS} slots, {runs} runs each)")
    slowest = next(scenario for scenario in SCENARIOS if worst[scenario.name] == max(worst.values()))
    say(f"\nwhat bounds it ({slowest.name})")
    made = snapshot(slowest, 0)
    with cProfile.Profile() as profile:
        plan(made, slowest.policy, NOW)
    pstats.Stats(profile).sort_stats("tottime").print_stats(12)
    what = "worst ms of own work"
    return judged([Target(f"plan pass, {name}: {what}", TARGET_MS, ms, at_most=True) for name, ms in worst.items()])


def _timed(made: Snapshot, policy: Policy) -> tuple[float, float, Plan]:
    """Milliseconds of this thread's own work, and by the clock."""
    begin, began = time.thread_time(), time.perf_counter()
    found = plan(made, policy, NOW)
    return (time.thread_time() - begin) * 1e3, (time.perf_counter() - began) * 1e3, found


if __name__ == "__main__":
    exit_with(main)
