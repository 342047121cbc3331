"""Compare a strategy search with full runs: whether both have the same winner, and the share of the time it takes.

    python -m benchmarks.training.search_goal [--models mlp,cnn] [--repeats N] [--seconds S] [--hosts 4] [--runs FILE]

For each model and repeat, every candidate trains in a job of its own, all for as many steps: so many that the first
candidate trains for about --seconds. They do so twice, in opposite order, because the machine's speed changes. Then a
search of the same candidates runs on the same ranks; its budget is a share of the time of both passes, without the
start of its job.

The winner of a pass is the candidate with the most samples per second of its steps. Where the two passes have different
winners, full runs cannot tell those two apart. The search agrees if it names a winner of a pass; or if it has no clear
winner, one of the winners is among those that are left, and none of those that are left is more than 5 % slower than
another one in both passes. Times are those of the jobs, from their start to their end.

Without --hosts all ranks are on this machine. With --hosts they are on hosts of a lab with 1 Gbit/s each (root). Each
comparison is a line of the file of runs at once, and what is printed counts all lines of the file. The defaults take
hours; nothing else may run on the machine meanwhile.
"""

import importlib.util
import json
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from benchmarks.command import Parser, count, exit_with, one_of, quantity
from benchmarks.diagnosis.page import runs_of
from benchmarks.experiments.lab_cluster import lab_cluster
from benchmarks.report import RESULTS, Target, judged, say
from benchmarks.stack import served

from ringscope.client import Client, Job, Search
from ringscope.contracts.errors import UserError
from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.contracts.training import STRATEGIES, libraries
from ringscope.search.candidates import Candidate, Situation, candidates

SEARCHES = RESULTS / "training_searches.jsonl"
TARGET_AGREED, TARGET_SHARE = 0.9, 0.25
AS_FAST = 1.05  # the largest ratio of full runs of two candidates that an answer without a clear winner may leave
_RATE_BIT_PER_S = 1_000_000_000
_TRIAL_STEPS, _MOST_STEPS = 30, 1_000_000
_TEXT_BYTES = 1 << 20
_LOOK_SECONDS = 1.0  # More looks would take time from the ranks; times are those of the server.
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
    """The full runs: the samples per second of each candidate in each pass, and the time of all passes."""

    passes: Sequence[Mapping[str, float]]
    seconds: float

    @property
    def rates(self) -> dict[str, float]:
        """Return the samples per second of each candidate, the geometric mean over the passes; the fastest first."""
        means = {name: prod(each[name] for each in self.passes) ** (1 / len(self.passes)) for name in self.passes[0]}
        return dict(sorted(means.items(), key=lambda item: -item[1]))

    @property
    def winners(self) -> set[str]:
        """Return the fastest candidate of each pass."""
        return {max(each, key=lambda name: each[name]) for each in self.passes}

    def shows_slower(self, name: str, others: Sequence[str]) -> bool:
        """Return whether a candidate was clearly slower than the fastest of some others in each pass."""
        return all(max(each[other] for other in others) > AS_FAST * each[name] for each in self.passes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print each comparison in two lines, then all of the file; return 1 when a target is missed."""
    parser = Parser(__doc__)
    models = ",".join(MODELS)
    parser.add_argument("--models", default=models, help="models, separated by commas (%(default)s)")
    parser.add_argument("--strategies", default="all", help="candidates, as in a search (%(default)s)")
    parser.add_argument("--repeats", type=count(0), default=3, help="comparisons of each model (%(default)s)")
    parser.add_argument("--seconds", type=quantity(), default=60.0, help="length of a run in a pass (%(default)s)")
    parser.add_argument("--share", type=quantity(), default=0.2, help="budget / time of the full runs (%(default)s)")
    parser.add_argument("--ranks", type=count(2), default=4, help="ranks (%(default)s)")
    parser.add_argument("--hosts", type=count(), default=1, help="hosts of a lab; 1: this machine (%(default)s)")
    parser.add_argument("--runs", type=Path, default=SEARCHES, metavar="FILE", help=f"JSON lines; default: {SEARCHES}")
    asked = parser.parse_args(arguments)
    names = [_model(parser, name) for name in asked.models.split(",")] * asked.repeats
    if names:
        with tempfile.TemporaryDirectory(prefix="ringscope-bench-") as folder, asked.runs.open("a") as lines:
            write_text(Path(folder))
            with _running(asked.ranks, asked.hosts) as place:
                for name in names:
                    load = os.getloadavg()[0]
                    spec = _spec(name, asked.strategies, Path(folder))
                    full = _full_runs(place, spec, asked.seconds)
                    budget = {"budget_seconds": int(asked.share * full.seconds)}
                    job, found = _searched(place, spec.model_copy(update=budget))
                    run = compared(full, found, _seconds(job))
                    run = {"model": name, "hosts": place.hosts, "ranks": place.ranks, **run, "load": round(load, 1)}
                    lines.write(json.dumps(run) + "\n")
                    lines.flush()
                    say(told(run))
                    say(f"  {found.sentence}")
    return judged(targets(runs_of(asked.runs)))


def compared(full: Full, found: Search, seconds: float) -> dict[str, Any]:
    """Return full runs and a search of ``seconds`` as a line of the file of runs."""
    return {
        "passes": [{name: round(rate, 1) for name, rate in each.items()} for each in full.passes],
        "full_seconds": round(full.seconds, 1),
        "winner": found.winner,
        "left": [line.name for line in found.candidates if line.state in ("winner", "unbeaten")],
        "searched": {line.name: line.samples_per_second for line in found.candidates if line.samples_per_second},
        "search_seconds": round(seconds, 1),
        "agrees": agrees(full, found),
    }


def agrees(full: Full, found: Search) -> bool:
    """Return whether a search has the winner of the full runs."""
    if found.winner is not None:
        return found.winner in full.winners
    left = [line.name for line in found.candidates if line.state == "unbeaten"]
    return not (full.winners.isdisjoint(left) or any(full.shows_slower(name, left) for name in left))


def told(run: Mapping[str, Any]) -> str:
    """Return a run in a line."""
    rates = Full(run["passes"], run["full_seconds"]).rates
    where = "one node" if run["hosts"] == 1 else f"{run['hosts']} hosts"
    named = ", ".join(f"{name} {rate:.0f}" for name, rate in list(rates.items())[:3])
    share = run["search_seconds"] / run["full_seconds"]
    return (
        f"{run['model']}, {where}: {'agrees' if run['agrees'] else 'DISAGREES'}; full runs, samples/s: {named}; "
        f"search: {run['winner'] or 'none of ' + ', '.join(run['left'])}; {share:.0%} of the time"
    )


def targets(runs: Sequence[Mapping[str, Any]]) -> list[Target]:
    """Return the two goals over all runs of the file; none without a run."""
    if not runs:
        return []
    searched, full = (sum(run[name] for run in runs) for name in ("search_seconds", "full_seconds"))
    label = f"share of {len(runs)} searches with the winner of full runs"
    return [
        Target(label, TARGET_AGREED, sum(run["agrees"] for run in runs) / len(runs)),
        Target("time of the searches / time of the full runs", TARGET_SHARE, searched / full, True),
    ]


def _model(parser: Parser, name: str) -> str:
    try:
        return one_of(list(MODELS))(name)
    except Exception as error:
        parser.error(f"argument --models: {error}")


def write_text(folder: Path) -> None:
    """Write the bytes that gpt reads: the documents of this project, again and again."""
    pages = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))
    content = b"".join(page.read_bytes() for page in pages) or b"ringscope "
    (folder / "text").write_bytes((content * (_TEXT_BYTES // len(content) + 1))[:_TEXT_BYTES])


def _spec(name: str, strategies: str, folder: Path) -> StrategySearchSpec:
    fields: dict[str, Any] = {"model": name, "strategies": strategies.split(",")}
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
    """Train by each candidate that can run here, one after the other, and once more in opposite order."""
    every = {library for strategy in STRATEGIES for library in libraries(strategy)}
    installed = {library for library in every if importlib.util.find_spec(library) is not None}
    chosen = candidates(spec, Situation(place.ranks, place.hosts, installed)).chosen
    trial = _trained(place, chosen[0], _TRIAL_STEPS)
    steps = max(_TRIAL_STEPS, min(_MOST_STEPS, int(seconds * _rate(trial) / spec.global_batch_size)))
    passes: list[dict[str, float]] = []
    spent_seconds = 0.0
    for order in (chosen, chosen[::-1]):
        jobs = {candidate.name: _trained(place, candidate, steps) for candidate in order}
        passes.append({name: _rate(job) for name, job in jobs.items()})
        spent_seconds += sum(map(_seconds, jobs.values()))
    return Full(passes, spent_seconds)


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
        time.sleep(_LOOK_SECONDS)
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


if __name__ == "__main__":
    exit_with(main)
