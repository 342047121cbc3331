"""One row of an experiment: what a job measured on the links of a lab, beside what the cost model says. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ringscope.client import Step
from ringscope.contracts.record import Measurement
from ringscope.contracts.words.collectives import bus_factor
from ringscope.contracts.words.topology import Link, Topology
from ringscope.cost.prices import prices

# MPICH's documented choice for long messages (Rabenseifner); what it really ran cannot be asked.
_STANDS_FOR = {"mpi": "halving_doubling"}
_OPENING_BYTES = 4096  # the first size opens the connections
_INSIDE = Link(0.0, 1e12)  # beside the links between hosts, memory counts as free


@dataclass(frozen=True, slots=True)
class Trial:
    """One job: algorithms side by side on ``ranks`` ranks, each of them at each size.

    ``is_spaced``: all ranks meet before each iteration. Without it a rank of ``naive`` that is done pushes the next
    iteration's buffer while others still pull, and a call takes less than its formula.
    """

    algorithms: tuple[str, ...]
    ranks: int
    sizes_bytes: tuple[int, ...]
    iterations: int = 1
    collective: str = "all_reduce"
    ranks_per_host: int = 1
    is_spaced: bool = False

    @property
    def spec(self) -> dict[str, Any]:
        """The job as it is submitted: every size once, but for the one that opens the connections.

        One warm-up each, and no check: it would be one more call of each, and what is computed is tested elsewhere.
        """
        first, last = self.sizes_bytes[0], self.sizes_bytes[-1]
        sizes = {"min_bytes": first, "max_bytes": last, "step_factor": 4}
        if first == last:
            sizes = {"min_bytes": _OPENING_BYTES, "max_bytes": last, "step_bytes": last - _OPENING_BYTES}
        return {
            "name": f"{self.collective} {', '.join(self.algorithms)} on {self.ranks} ranks",
            "benchmark": {
                "collective": self.collective,
                "algorithms": self.algorithms,
                **sizes,
                "iterations": self.iterations,
                "warmup": 1,
                "blocking": 3 if self.is_spaced else 0,
                "check": False,
            },
            "placement": {"ranks": self.ranks, "ranks_per_node": self.ranks_per_host},
        }


@dataclass(frozen=True, slots=True)
class Fabric:
    """The links of a lab, as the cost model sees them."""

    hosts: int
    rate_bit_per_s: int
    payload_bytes_per_s: float
    slots: int = 1
    racks: int = 1
    oversubscription: float = 1.0

    def topology(self, trial: Trial, bytes_per_s: float) -> Topology:
        """The hosts that a trial runs on, each with one network card for all of its ranks."""
        return Topology(
            ranks=trial.ranks,
            inter=Link(0.0, bytes_per_s),
            intra=_INSIDE if trial.ranks_per_host > 1 else None,
            ranks_per_node=trial.ranks_per_host,
            nics_per_node=1,
            nodes_per_rack=self.hosts // self.racks if self.racks > 1 else None,
            oversubscription=self.oversubscription,
        )


@dataclass(frozen=True, slots=True)
class Row:
    """Seconds of one call, measured and by the model: over the payload of the link, and over all of its bits.

    Measured is the lower quartile of the iterations: what else the machine does can only slow a call.
    """

    collective: str
    algorithm: str
    ranks: int
    size_bytes: int
    measured_s: float
    predicted_s: float
    raw_s: float
    in_place_s: float

    @property
    def ratio(self) -> float:
        """Measured over predicted."""
        return self.measured_s / self.predicted_s

    @property
    def busbw_bytes_per_s(self) -> float:
        """Bus bandwidth in nccl-tests' sense."""
        return self.size_bytes / self.measured_s * bus_factor(self.collective, self.ranks)


def rows(trial: Trial, fabric: Fabric, stored: Sequence[Measurement], steps: Iterable[Step]) -> list[Row]:
    """Return the server's rows of a trial's job beside the model's; raise ValueError if something is missing."""
    times_s = _quartiles_s(trial, stored, slowest_us(steps))
    found = []
    for size_bytes, algorithm in product(trial.sizes_bytes, trial.algorithms):
        payload_s, raw_s = (
            _predicted_s(trial, fabric, algorithm, size_bytes, bytes_per_s)
            for bytes_per_s in (fabric.payload_bytes_per_s, fabric.rate_bit_per_s / 8)
        )
        out_of_place_s, in_place_s = (times_s[algorithm, size_bytes, is_in_place] for is_in_place in (False, True))
        found.append(
            Row(trial.collective, algorithm, trial.ranks, size_bytes, out_of_place_s, payload_s, raw_s, in_place_s)
        )
    return found


def slowest_us(steps: Iterable[Step]) -> dict[int, float]:
    """Return the time of the slowest rank for each step."""
    found: dict[int, float] = {}
    for step in steps:
        found[step.step] = max(step.duration_us, found.get(step.step, 0.0))
    return found


def _quartiles_s(
    trial: Trial, stored: Sequence[Measurement], steps_us: Mapping[int, float]
) -> dict[tuple[str, int, bool], float]:
    """Return the lower quartiles by algorithm, size and placement.

    Steps are numbered in the order of the rows, with ``trial.iterations`` steps to a row.
    """
    count = trial.iterations
    wanted = len(stored) * count
    if steps_us.keys() != set(range(wanted)):
        raise ValueError(f"The server has {len(steps_us)} steps of {wanted}.")
    found = {}
    for number, row in enumerate(stored):
        times_us = sorted(steps_us[step] for step in range(number * count, (number + 1) * count))
        found[row.algorithm, row.size_bytes, row.in_place] = times_us[(count - 1) // 4] / 1e6
    return found


def _predicted_s(trial: Trial, fabric: Fabric, algorithm: str, size_bytes: int, bytes_per_s: float) -> float:
    topology = fabric.topology(trial, bytes_per_s)
    named = _STANDS_FOR.get(algorithm, algorithm)
    (price,) = prices([named], size_bytes, topology, collective=trial.collective)
    return price.time_s
