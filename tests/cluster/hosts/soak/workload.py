"""Jobs of many shapes: how many ranks on how many nodes, what they do, and what ends them."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.cluster.hosts.soak.site import SLOTS

from ringscope.contracts.job import JobSpec

ALGORITHMS = ("ring", "direct", "mpi", "hierarchical", "recursive_doubling", "auto")
# Nodes, ranks on each, and how often: most are small, so that a hundred take minutes on two cores.
SHAPES = ((1, 2, 9), (2, 1, 12), (3, 1, 5), (2, 2, 3), (4, 1, 2), (3, 2, 1), (6, 1, 1), (5, 2, 0.5), (6, 2, 1))
ENDLESS_ITERATIONS = 1_000_000
_ENDLESS = {"algorithms": ["ring"], "min_bytes": 65536, "max_bytes": 65536, "iterations": ENDLESS_ITERATIONS}


@dataclass(frozen=True)
class Work:
    """A job to be submitted.

    Args:
        cancel_after_seconds: None: nobody cancels it.
    """

    spec: dict[str, Any]
    cancel_after_seconds: float | None = None

    @property
    def may_be_cancelled(self) -> bool:
        """True if the job may end as cancelled."""
        return self.cancel_after_seconds is not None

    @property
    def may_take_too_long(self) -> bool:
        """True if its time limit may end the job."""
        return JobSpec.model_validate(self.spec).time_limit_seconds < 10


def work(random: Random) -> Iterator[Work]:
    """Yield one job after another without an end."""
    number = 0
    while True:
        number += 1
        yield _work(random, f"soak {number}")


def _work(random: Random, name: str) -> Work:
    spec: dict[str, Any] = {
        "name": name,
        "benchmark": _sweep(random),
        "placement": _placement(random),
        "priority": random.choice((20, 50, 50, 50, 90)),
        "max_attempts": random.randint(1, 3),
        "time_limit_seconds": 90,
    }
    fate = random.random()
    if fate < 0.25:
        return Work(spec | {"benchmark": _simulation(random), "placement": {"ranks": 1}})
    if fate < 0.34:
        return Work(spec | {"benchmark": _ENDLESS, "time_limit_seconds": random.randint(1, 2)})
    if fate < 0.46:
        return Work(spec | {"benchmark": _ENDLESS}, random.uniform(0, 8))
    return Work(spec)


def _sweep(random: Random) -> dict[str, Any]:
    largest = random.choice((4096, 65536, 1 << 20))
    return {
        "algorithms": random.sample(ALGORITHMS, random.randint(1, 3)),
        "min_bytes": largest // 16,
        "max_bytes": largest,
        "step_factor": 4,
        "warmup": 1,
        "iterations": random.choice((5, 20, 100)),
    }


def _simulation(random: Random) -> dict[str, Any]:
    return {
        "transport": "simulated",
        "topology": {"shape": random.choice(("2x4", "4x8")), "link": "ib200"},
        "algorithms": ["ring", "direct"],
        "min_bytes": 1024,
        "max_bytes": 1 << 20,
        "step_factor": 8,
        "iterations": 20,
    }


def _placement(random: Random) -> dict[str, Any]:
    nodes, ranks_per_node, _ = random.choices(SHAPES, [weight for _, _, weight in SHAPES])[0]
    if random.random() < 0.2:
        return {"ranks": nodes * ranks_per_node}  # wherever the scheduler finds room
    return {"ranks": nodes * ranks_per_node, "nodes": nodes, "ranks_per_node": min(ranks_per_node, SLOTS)}
