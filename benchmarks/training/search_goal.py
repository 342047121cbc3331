"""Compare a strategy search with full runs: whether both have the same winner, and the share of the time it takes.

    python -m benchmarks.training.search_goal [--models mlp,cnn] [--repeats N] [--seconds S] [--hosts 4]

For each model and repeat, every candidate trains in a job of its own, one after the other, all for as many steps: so
many that the first candidate trains for about --seconds. Then a search of the same candidates runs on the same ranks.
The winner of the full runs is the candidate with the most samples per second of its steps. The search agrees if it
names the same winner; or if it has no clear winner, the winner of the full runs is among those that are left, and the
full runs of those that are left are within 5 % of each other. Times are those of the jobs, from their start to their
end.

Without --hosts all ranks are on this machine. With --hosts they are on hosts of a lab with 1 Gbit/s each (root). The
defaults take hours; nothing else may run on the machine meanwhile.
"""

import importlib.util
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.command import Parser, count, exit_with, one_of, quantity
from benchmarks.experiments.lab_cluster import lab_cluster
from benchmarks.report import Target, judged, say, watched
from benchmarks.stack import served

from ringscope.client import Client, Job, Search
from ringscope.contracts.errors import UserError
from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.contracts.training import STRATEGIES, libraries
from ringscope.search.candidates import Candidate, Situation, candidates

TARGET_AGREED, TARGET_SHARE = 0.9, 0.25
AS_FAST = 1.05  # the largest ratio of full runs that an answer without a clear winner may leave
_RATE_BIT_PER_S = 1_000_000_000
_TRIAL_STEPS, _MOST_STEPS = 30, 1_000_000
_TEXT_BYTES = 1 << 20
_SYNTHETIC = {"name": "synthetic", "samples": 2048}
MODELS: dict[str, dict[str, Any]] = {
    "mlp": {"dataset": {"name": "digits"}},
    "cnn": {"dataset": _SYNTHETIC},
    "resnet18": {"dataset": _SYNTHETIC, "global_batch_size": 16},
    "gpt": {"dataset": {"name": "text"}, "global_batch_size": 16},
}


@dataclass(frozen=True)
class Place:
    """The cluster on which everything runs."""

    client: Client
    ranks: int
    hosts: int

    @property
    def placement(self) -> dict[str, Any]:
        """Return the placement of a job."""
        return {"ranks": self.ranks, "exclusive": True, **({"nodes": self.hosts} if self.hosts > 1 else {})}


@dataclass(frozen=True)
class Full:
    """The full runs: the samples per second of each candidate, and the time of all jobs."""

    rates: dict[str, float]
    seconds: float

    @property
    def winner(self) -> str:
        """Return the fastest candidate."""
        return max(self.rates, key=lambda name: self.rates[name])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print each comparison in a line; return 1 when a target is missed."""
    parser = Parser(__doc__)
    models = ",".join(MODELS)
    parser.add_argument("--models", default=models, help="models, separated by commas (%(default)s)")
    parser.add_argument("--strategies", default="all", help="candidates, as in a search (%(default)s)")
    parser.add_argument("--repeats", type=count(), default=3, help="comparisons of each model (%(default)s)")
    parser.add_argument("--seconds", type=quantity(), default=60.0, help="length of a full run (%(default)s)")
    parser.add_argument("--budget", type=count(), default=300, help="seconds that a search may take (%(default)s)")
    parser.add_argument("--ranks", type=count(2), default=4, help="ranks (%(default)s)")
    parser.add_argument("--hosts", type=count(), default=1, help="hosts of a lab; 1: this machine (%(default)s)")
    asked = parser.parse_args(arguments)
    names = [_model(parser, name) for name in asked.models.split(",")]
    agreed: list[bool] = []
    searched_seconds = full_seconds = 0.0
    with tempfile.TemporaryDirectory(prefix="ringscope-bench-") as folder, watched() as conditions:
        _write_text(Path(folder))
        with _running(asked.ranks, asked.hosts) as place:
            for name in names:
                spec = _spec(name, asked.strategies, asked.budget, Path(folder))
                for number in range(asked.repeats):
                    full = _full_runs(place, spec, asked.seconds)
                    job, found = _searched(place, spec)
                    agreed.append(agrees(full, found))
                    searched_seconds += _seconds(job)
                    full_seconds += full.seconds
                    _say_comparison(f"{name} {number + 1}", full, found, _seconds(job), agreed[-1])
    where = "one node" if asked.hosts == 1 else f"{asked.hosts} hosts, 1 Gbit/s"
    say(f"\n{asked.ranks} ranks on {where} ({conditions})")
    label = f"{', '.join(names)}: share of {len(agreed)} searches with the winner of full runs"
    return judged(
        [
            Target(label, TARGET_AGREED, sum(agreed) / len(agreed)),
            Target("time of the searches / time of the full runs", TARGET_SHARE, searched_seconds / full_seconds, True),
        ]
    )


def agrees(full: Full, found: Search) -> bool:
    """Return whether a search has the winner of the full runs."""
    if found.winner is not None:
        return found.winner == full.winner
    left = [line.name for line in found.candidates if line.state == "unbeaten"]
    rates = [full.rates[name] for name in left]
    return full.winner in left and max(rates) <= AS_FAST * min(rates)


def _model(parser: Parser, name: str) -> str:
    try:
        return one_of(list(MODELS))(name)
    except Exception as error:
        parser.error(f"argument --models: {error}")


def _write_text(folder: Path) -> None:
    """Write the bytes that gpt reads: the documents of this project, again and again."""
    pages = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))
    content = b"".join(page.read_bytes() for page in pages) or b"ringscope "
    (folder / "text").write_bytes((content * (_TEXT_BYTES // len(content) + 1))[:_TEXT_BYTES])


def _spec(name: str, strategies: str, budget_seconds: int, folder: Path) -> StrategySearchSpec:
    fields: dict[str, Any] = {"model": name, "strategies": strategies.split(","), "budget_seconds": budget_seconds}
    fields |= MODELS[name]
    if fields["dataset"]["name"] == "text":
        fields["dataset"] = fields["dataset"] | {"path": str(folder)}
    return StrategySearchSpec.model_validate(fields)


@contextmanager
def _running(ranks: int, hosts: int) -> Iterator[Place]:
    if hosts == 1:
        with served(ranks) as stack:
            yield Place(stack.client, ranks, 1)
        return
    with lab_cluster(hosts, _RATE_BIT_PER_S, slots=-(-ranks // hosts)) as cluster:
        yield Place(cluster.client, ranks, hosts)


def _full_runs(place: Place, spec: StrategySearchSpec, seconds: float) -> Full:
    """Train by each candidate that can run here, one after the other."""
    every = {library for strategy in STRATEGIES for library in libraries(strategy)}
    installed = {library for library in every if importlib.util.find_spec(library) is not None}
    chosen = candidates(spec, Situation(place.ranks, place.hosts, installed)).chosen
    trial = _trained(place, chosen[0], _TRIAL_STEPS)
    steps = max(_TRIAL_STEPS, min(_MOST_STEPS, int(seconds * _rate(trial) / spec.global_batch_size)))
    rates, spent_seconds = {}, 0.0
    for candidate in chosen:
        job = _trained(place, candidate, steps)
        rates[candidate.name] = _rate(job)
        spent_seconds += _seconds(job)
    return Full(rates, spent_seconds)


def _trained(place: Place, candidate: Candidate, steps: int) -> Job:
    training = candidate.training.model_dump(mode="json", exclude_defaults=True)
    body = {
        "name": candidate.name,
        "kind": "training",
        "training": {"strategy": candidate.training.strategy, "epochs": 100_000, **training, "max_steps": steps},
        "placement": place.placement,
    }
    return _ended(place.client, body)


def _searched(place: Place, spec: StrategySearchSpec) -> tuple[Job, Search]:
    search = spec.model_dump(mode="json", exclude_defaults=True)
    body = {"kind": "strategy_search", "strategy_search": search, "placement": place.placement}
    job = _ended(place.client, body)
    return job, place.client.search(job.id)


def _ended(client: Client, body: Mapping[str, Any]) -> Job:
    """Run a job; UserError with its message unless it succeeds."""
    job: Job = client.submit(dict(body))
    while not (job := client.job(job.id)).is_finished:
        time.sleep(0.1)
    if job.state != "succeeded":
        raise UserError(f"Job {job.id} ({job.name or job.kind}) {job.state}: {job.message}")
    return job


def _rate(job: Job) -> float:
    rate = job.summary.samples_per_second
    if not rate:
        raise UserError(f"The server has no speed of job {job.id} ({job.name})")
    return float(rate)


def _seconds(job: Job) -> float:
    started, finished = job.started_at, job.finished_at
    assert started is not None and finished is not None
    return (finished - started).total_seconds()


def _say_comparison(label: str, full: Full, found: Search, seconds: float, is_same: bool) -> None:
    ordered = sorted(full.rates.items(), key=lambda item: -item[1])
    named = ", ".join(f"{name} {rate:.0f}" for name, rate in ordered[:3])
    say(f"{label}: {'the same winner' if is_same else 'ANOTHER WINNER'}; full runs, samples/s: {named}")
    say(f"  {found.sentence}")
    say(f"  search {seconds:.0f} s, {len(full.rates)} full runs {full.seconds:.0f} s: {seconds / full.seconds:.0%}")


if __name__ == "__main__":
    exit_with(main)
