"""The result of a benchmark: a table with its targets for people, JSON for the record, and the run's conditions."""

import importlib.metadata
import json
import os
import platform
import resource
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from benchmarks.command import MISSED

if TYPE_CHECKING:
    from benchmarks.engine.measure import Series  # with NumPy and the engine, which not every benchmark needs

RESULTS = Path(__file__).with_name("results")
_LIBRARIES = ("ringscope", "numpy", "mpi4py", "mpich", "torch", "tensorflow-cpu", "numkong")


@dataclass(frozen=True, slots=True)
class Target:
    """A number that the issue asks for, and what was measured; ``at_most`` turns the comparison round.

    It is missed, too, where ``got`` is no number.
    """

    name: str
    wanted: float
    got: float
    at_most: bool = False

    @property
    def met(self) -> bool:
        """True if the measured number meets the target."""
        return self.got <= self.wanted if self.at_most else self.got >= self.wanted

    def __str__(self) -> str:
        sign = "<=" if self.at_most else ">="
        return f"{'met' if self.met else 'MISSED':>8}  {self.name}: {self.got:.3g} (asked {sign} {self.wanted:g})"


@dataclass(slots=True)
class Conditions:
    """The load of the machine; ``others_share`` is the part of all cores' time that other processes used meanwhile.

    The system tells a process the times of the children that it has waited for. A benchmark adds the times of its other
    descendants to ``orphans_s``.
    """

    started_at: str
    load_before: tuple[float, float, float]
    load_after: tuple[float, float, float] = (0.0, 0.0, 0.0)
    others_share: float = 0.0
    orphans_s: float = 0.0

    def __str__(self) -> str:
        load = self.load_before[0]
        return f"{self.started_at}; load before {load:.2f}; other processes took {self.others_share:.0%} of the cores"


@dataclass(slots=True)
class Result:
    """One benchmark's outcome."""

    name: str
    conditions: Conditions
    series: "list[Series]" = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)

    def save(self) -> Path:
        """Write ``results/NAME.json``."""
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{self.name}.json"
        document = {
            "name": self.name,
            "machine": machine(),
            "conditions": asdict(self.conditions),
            "targets": [asdict(target) | {"met": target.met} for target in self.targets],
            **self.details,
            "series": [_rounded(asdict(series)) for series in self.series],
        }
        path.write_text(json.dumps(document, indent=1) + "\n")
        return path


@contextmanager
def watched() -> Iterator[Conditions]:
    """Conditions that are complete at the end: of the time that the cores worked, what was not our children's."""
    conditions = Conditions(datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"), os.getloadavg())
    cores, own_s = psutil.cpu_times(), _own_seconds()
    yield conditions
    now = psutil.cpu_times()
    idle_s = now.idle + now.iowait - cores.idle - cores.iowait
    all_s = sum(now[:8]) - sum(cores[:8])  # without guest time, which user time contains
    used_s = _own_seconds() - own_s + conditions.orphans_s
    conditions.others_share = max(0.0, (all_s - idle_s - used_s) / max(all_s, 1e-9))
    conditions.load_after = os.getloadavg()


def machine() -> dict[str, Any]:
    """Return a description of the machine of the measurement."""
    versions = {}
    for name in _LIBRARIES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    cpu = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), ":")
    return {
        "cpu": cpu.partition(":")[2].strip(),
        "cores": psutil.cpu_count(),
        "memory_bytes": psutil.virtual_memory().total,
        "kernel": platform.release(),
        "python": platform.python_version(),
        "versions": versions,
    }


def say(line: object = "") -> None:
    """Print at once."""
    print(line, flush=True)


def say_targets(targets: Sequence[Target]) -> None:
    """Print one line for each target."""
    for target in targets:
        say(target)


def judged(targets: Sequence[Target]) -> int:
    """Say all targets, and plainly if some were missed; the exit code: 1 where one was."""
    say_targets(targets)
    missed = sum(not target.met for target in targets)
    if not missed:
        return 0
    many = f"{missed} of {len(targets)} targets {'was' if missed == 1 else 'were'} missed"
    say(f"{many}: exit code {MISSED}. Other work on the machine misses targets, too: see what it did meanwhile.")
    return MISSED


def _own_seconds() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"times_us": [round(time_us, 3) for time_us in row["times_us"]]}
