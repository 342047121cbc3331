"""The lecture's claims on real links, as jobs on a server.

    python -m benchmarks.experiments [--quick | NAME …]

A lab of network namespaces is started for a server of its own, jobs are submitted to it, and what it has stored of them
is read back and set beside the cost model. The tables go to docs/experiments.md, the pictures to docs/images, what they
are made of to results/experiments.json. Names run these experiments only and keep what was found of the others.
``--quick`` runs a smaller version and writes nothing.
"""

import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from benchmarks.command import Parser, exit_with, one_of
from benchmarks.engine import links
from benchmarks.experiments import page as experiments_page
from benchmarks.experiments import plot as experiments_plot
from benchmarks.experiments.lab_cluster import LabCluster, lab_cluster
from benchmarks.experiments.scaling import fitted_line, ring_deviation
from benchmarks.experiments.trial import Fabric, Row, Trial, rows
from benchmarks.report import Result, Target, judged, say, watched

from ringscope.contracts.words.units import format_size
from ringscope.lab.network import PAYLOAD_SHARE

_MIB = 1 << 20
LECTURE_BYTES = 12_000_000
_HOSTS_BYTES = 1_260_000  # divides into 2 to 10 chunks of whole float32
_GROUPED_BYTES = 4_800_000
MPI_SPEEDUP = 1.3
RING_SHARE = 0.95


@dataclass(frozen=True)
class Stage:
    """One lab, and the experiments on it: jobs one after another."""

    hosts: int
    rate_bit_per_s: int
    experiments: Mapping[str, tuple[Trial, ...]]
    slots: int = 1
    racks: int = 1
    oversubscription: float = 1.0

    def only(self, names: Collection[str]) -> "Stage":
        """The same lab with fewer experiments."""
        return replace(self, experiments={name: made for name, made in self.experiments.items() if name in names})

    @property
    def fabric(self) -> Fabric:
        """The lab's links, for the model."""
        payload_bytes_per_s = self.rate_bit_per_s / 8 * PAYLOAD_SHARE
        return Fabric(
            self.hosts, self.rate_bit_per_s, payload_bytes_per_s, self.slots, self.racks, self.oversubscription
        )


def _over_hosts(most: int, size_bytes: int) -> tuple[Trial, ...]:
    """A job of naive and one of the ring on 2 hosts, 3 hosts … ``most``."""
    return tuple(
        trial
        for hosts in range(2, most + 1)
        for trial in (
            Trial(("naive",), hosts, (size_bytes,), iterations=3, is_spaced=True),
            Trial(("ring",), hosts, (size_bytes,), iterations=5),
        )
    )


STAGES = (
    Stage(
        10,
        80_000_000,
        {
            "lecture": (
                Trial(("naive",), 10, (LECTURE_BYTES,), collective="reduce"),
                Trial(("naive", "parameter_server"), 10, (LECTURE_BYTES,)),
                Trial(("direct", "mpi"), 10, (LECTURE_BYTES,)),
                Trial(("ring", "ring_pipelined"), 10, (LECTURE_BYTES,), iterations=5),
            ),
            "hosts": _over_hosts(10, _HOSTS_BYTES),
        },
    ),
    Stage(
        4,
        100_000_000,
        {"hierarchy": (Trial(("ring", "hierarchical"), 12, (_GROUPED_BYTES,), 5, ranks_per_host=3),)},
        slots=3,
    ),
    Stage(
        4,
        1_000_000_000,
        {"fast": (Trial(("ring", "ring_pipelined", "mpi"), 4, (4 * _MIB, 16 * _MIB), iterations=12),)},
    ),
    Stage(
        8,
        100_000_000,
        {"racks": (Trial(("ring", "halving_doubling", "direct"), 8, (_GROUPED_BYTES,), iterations=3),)},
        racks=2,
        oversubscription=4.0,
    ),
)
NAMES = tuple(name for stage in STAGES for name in stage.experiments)
QUICK = (Stage(4, 200_000_000, {"hosts": tuple(Trial(("naive", "ring"), hosts, (_MIB,)) for hosts in (2, 3, 4))}),)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything; 1 when a target is missed, of what is kept of earlier runs as well. UserError: no lab here."""
    parser = Parser(__doc__)
    parser.add_argument("--quick", action="store_true", help="a smaller version; nothing is written")
    listed = f"of {', '.join(NAMES)}; all if none is named"
    parser.add_argument("names", nargs="*", type=one_of(NAMES), metavar="NAME", help=listed)
    options = parser.parse_args(arguments)
    quick, names = options.quick, options.names or NAMES
    if quick and options.names:
        parser.error("--quick runs an experiment of its own; leave the names out")
    started = time.monotonic()
    with watched() as conditions:
        found = measured(QUICK if quick else [stage.only(names) for stage in STAGES])
        direct = direct_run() if "fast" in found else []
    if not quick and experiments_page.RESULTS.exists():
        before = json.loads(experiments_page.RESULTS.read_text())
        found, direct = before["experiments"] | found, direct or before["direct_run"]
    document = {"experiments": found, "direct_run": direct}
    for name, table in experiments_page.tables(document).items():
        say(f"\n{name}\n{table}")
    targets = targets_of(found)
    say(f"({conditions}; {time.monotonic() - started:.0f} s in all)")
    if not quick:
        path = Result("experiments", conditions, targets=targets, details=document).save()
        for written in (path, *experiments_plot.draw(document), experiments_page.fill()):
            say(f"written: {written}")
    return judged(targets)


def measured(stages: Sequence[Stage]) -> dict[str, Any]:
    """The rows of every experiment by its name, with the links that they were measured on."""
    found: dict[str, Any] = {}
    for stage in stages:
        if not stage.experiments:
            continue
        fabric = stage.fabric
        shape = (fabric.hosts, fabric.rate_bit_per_s, fabric.slots, fabric.racks, fabric.oversubscription)
        with lab_cluster(*shape) as cluster:
            rate = f"{fabric.rate_bit_per_s / 1e6:g} Mbit/s"
            say(f"{fabric.hosts} hosts at {rate}, ready in {cluster.ready_seconds:.1f} s")
            for name, trials in stage.experiments.items():
                with watched() as conditions:
                    made = [row for trial in trials for row in run(cluster, fabric, trial)]
                found[name] = {
                    "conditions": asdict(conditions),
                    "fabric": asdict(fabric),
                    "rows": [rounded(row) for row in made],
                }
    return found


def run(cluster: LabCluster, fabric: Fabric, trial: Trial) -> list[Row]:
    """Run one job from its submission to its stored rows; RuntimeError if its bytes took another way than the links."""
    started, before = time.monotonic(), cluster.sent_bytes()
    job = cluster.run(trial.spec)
    busiest_bytes = max(after - then for then, after in zip(before, cluster.sent_bytes(), strict=True))
    calls = 2 * (trial.iterations + 1) * len(trial.algorithms)  # out of place and in place, with a warm-up
    if busiest_bytes < calls * sum(trial.sizes_bytes):
        raise RuntimeError(
            f"{job.name}: the busiest host sent only {busiest_bytes} bytes over its link in {calls} calls: "
            "the ranks found another way than the network."
        )
    client = cluster.client
    found = rows(trial, fabric, client.measurements(job.id), client.steps(job.id))
    said = ", ".join(f"{row.algorithm} {format_size(row.size_bytes)} {row.measured_s:.3f} s" for row in found)
    say(f"  job {job.id}, {trial.collective} on {trial.ranks} ranks: {said} ({time.monotonic() - started:.0f} s)")
    return found


def direct_run() -> list[dict[str, Any]]:
    """The same as the experiment ``fast`` without a server: as `make bench` measures it."""
    series, _ = links.measure(*links.FAST)
    return [
        {"algorithm": row.algorithm, "size_bytes": row.size_bytes, "measured_s": round(row.time_us / 1e6, 6)}
        for row in series
    ]


def rounded(row: Row) -> dict[str, Any]:
    """Return the row as JSON, rounded to the microsecond."""
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in asdict(row).items()}


def targets_of(found: Mapping[str, Any]) -> list[Target]:
    """Return the targets of the experiments that were run."""
    targets = []
    for name, label in (("lecture", "10 hosts, 80 Mbit/s"), ("fast", "4 hosts, 1 Gbit/s")):
        rings = [Row(**row) for row in found.get(name, {"rows": ()})["rows"] if row["algorithm"].startswith("ring")]
        for size_bytes in sorted({row.size_bytes for row in rings}):
            best = min((row for row in rings if row.size_bytes == size_bytes), key=lambda row: row.measured_s)
            what = f"{label}, {format_size(size_bytes)}: {best.algorithm}, share of the payload limit"
            targets.append(Target(what, RING_SHARE, best.predicted_s / best.measured_s))
    if "fast" in found:
        made = [Row(**row) for row in found["fast"]["rows"] if row["size_bytes"] == 16 * _MIB]
        best_s = min(row.measured_s for row in made if row.algorithm.startswith("ring"))
        mpi_s = next(row.measured_s for row in made if row.algorithm == "mpi")
        targets.append(Target("4 hosts, 1 Gbit/s, 16 MiB: ring, times MPI_Allreduce", MPI_SPEEDUP, mpi_s / best_s))
    if "hosts" in found:
        made = [Row(**row) for row in found["hosts"]["rows"]]
        line = fitted_line(made)
        targets.append(Target("naive against hosts: R² of a line", 0.99, line.r_squared))
        targets.append(Target("naive against hosts: slope off its formula", 0.05, abs(line.slope_ratio - 1), True))
        targets.append(Target("ring against hosts: most off its formula", 0.05, ring_deviation(made), True))
    return targets


if __name__ == "__main__":
    exit_with(main)
