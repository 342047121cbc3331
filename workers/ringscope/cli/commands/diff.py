"""`ringscope diff`: compare two jobs, such as last week's numbers and today's."""

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from ringscope.cli.caveats import disturbed_by, sentences
from ringscope.cli.connection import Url, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, say, say_json, stdout_console
from ringscope.cli.formatting import AsJson, table
from ringscope.client import AttemptEnvironment, Client, Job
from ringscope.contracts.record import Measurement
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.units import format_size, plural
from ringscope.judging.two_jobs import (
    Difference,
    RowPair,
    differences,
    obstacles,
    points,
    row_pairs,
)

First = Annotated[int, typer.Argument(metavar="A", help="The number of the job to compare with.")]
Second = Annotated[int, typer.Argument(metavar="B", help="The number of the other job.")]


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(diff)


def diff(a: First, b: Second, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Compare two jobs: specification, outcome, nodes, versions, and the measured rows side by side.

    B/A is the ratio of the times: below 1 B is faster. Its 95 % interval follows from the errors of both means. * marks
    times that differ by more than the noise, which is wider, because the jobs ran at different times: the root of the
    sum of both rows' squared standard deviations (their cv). Several cycles are compared by their mean. The mean of an
    unstable row is unreliable; rows with wrong elements are left out.
    """
    with connect(url, data_dir) as client:
        jobs = client.job(a), client.job(b)
        rows = client.measurements(a), client.measurements(b)
        facts = _facts(client, jobs[0], rows[0]), _facts(client, jobs[1], rows[1])
        unlike = _obstacles(client, *jobs)
    specs = (job.spec.model_dump(mode="json") for job in jobs)
    found, pairs = [*differences(*specs), *differences(*facts)], row_pairs(*rows)
    sides = [_side(*side) for side in zip(jobs, rows, strict=True)]
    if as_json:
        say_json(json.dumps(_document(sides, unlike, found, pairs), indent=2))
        return
    _say_differences(a, b, found)
    if not any(rows) and not any(job.spec.benchmark for job in jobs):
        return
    _say_caveats(jobs, sides, unlike)
    say()
    counts = [points(part) for part in rows]
    say(
        f"Rows of the same collective, algorithm, size and placement: {len(pairs)} "
        f"(of {counts[0]} in job {a}, {counts[1]} in job {b}); times are the rows' time_us."
    )
    if pairs:
        stdout_console().print(
            table(("ALGORITHM", "SIZE", "PLACE", f"A={a} us", f"B={b} us", "B/A", "95 %", ""), map(_row, pairs))
        )
        say(_sum(pairs))


def _facts(client: Client, job: Job, rows: list[Measurement]) -> dict[str, Any]:
    """Return the facts outside the specification that are worth comparing, keyed by the printed path."""
    nodes = job.attempts[-1].nodes if job.attempts else []
    environments = client.environments(job.id)
    return {
        "state": job.state,
        "reason": job.reason,
        "nodes": ", ".join(nodes) or None,
        "measured over": ", ".join(dict.fromkeys(row.transport for row in rows)) or None,
        **({} if job.spec.benchmark is not None else _figures(job)),
        "versions": _versions(environments[-1]) if environments else {},
    }


def _figures(job: Job) -> dict[str, Any]:
    """Return the results of training."""
    names = ("loss", "validation_accuracy", "samples_per_second", "step_seconds", "exposed_communication_seconds")
    return {name: getattr(job.summary, name) for name in (*names, "seconds_to_target", "scaling_efficiency")}


def _versions(environment: AttemptEnvironment) -> dict[str, str]:
    """Return each library's version; all versions if the nodes differ."""
    found: dict[str, set[str]] = {}
    for node in environment.nodes:
        for name, version in node.versions.items():
            found.setdefault(name, set()).add(version)
    return {name: ", ".join(sorted(versions)) for name, versions in found.items()}


def _say_differences(a: int, b: int, found: list[Difference]) -> None:
    if not found:
        say(f"Jobs {a} and {b} do not differ in specification, outcome, nodes or versions.")
        return
    rows = ((difference.path, _text(difference.a), _text(difference.b)) for difference in found)
    stdout_console().print(table(("DIFFERS", f"A={a}", f"B={b}"), rows))


def _obstacles(client: Client, a: Job, b: Job) -> list[str]:
    """Return why their rows do not measure the same thing, as the page Compare does."""
    if a.spec.benchmark is None or b.spec.benchmark is None:
        return obstacles(a.spec, b.spec)
    return client.comparison([a.id, b.id]).jobs[-1].obstacles


def _side(job: Job, rows: list[Measurement]) -> dict[str, Any]:
    """Return the caveats of one job that a reader needs before comparing its rows."""
    wrong = sum(row.wrong or 0 for row in rows)
    left_out = [f"{plural(wrong, 'wrong element')}; the rows that have any are left out."] if wrong else []
    basis = SIMULATED if job.spec.is_simulated else "measured"
    return {"id": job.id, "basis": basis, "caveats": [*left_out, *sentences(job)]}


def _say_caveats(jobs: tuple[Job, Job], sides: list[dict[str, Any]], unlike: list[str]) -> None:
    for side in sides:
        if side["basis"] == SIMULATED:
            say(f"Job {side['id']}: {SIMULATED.upper()}: times of the cost model, nothing was measured.")
        for sentence in side["caveats"]:
            say(f"Job {side['id']}: {sentence}")
    told = tuple(filter(None, map(disturbed_by, jobs)))
    found = [sentence for sentence in unlike if not sentence.endswith(told)]  # the disturbances are printed above
    a, b = (job.id for job in jobs)
    if a != b and found:
        say(f"Job {b} and the base job {a} do not measure the same thing: {' '.join(found)}")


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return value if isinstance(value, str) else json.dumps(value)


def _row(pair: RowPair) -> tuple[str, ...]:
    return (
        pair.algorithm,
        format_size(pair.size_bytes),
        _place(pair),
        f"{pair.a_us:.2f}",
        f"{pair.b_us:.2f}",
        f"{pair.ratio:.3f}",
        _interval(pair),
        _marks(pair),
    )


def _marks(pair: RowPair) -> str:
    unstable = [side for side, is_so in (("A", pair.a_is_unstable), ("B", pair.b_is_unstable)) if is_so]
    words = f"{' and '.join(unstable)} unstable" if unstable else ""
    return " ".join(filter(None, ("*" if pair.is_beyond_noise else "", words)))


def _interval(pair: RowPair) -> str:
    return "-" if pair.ratio_low is None else f"{pair.ratio_low:.3f} to {pair.ratio_high:.3f}"


def _sum(pairs: list[RowPair]) -> str:
    marked = [pair for pair in pairs if pair.is_beyond_noise]
    faster = sum(pair.ratio < 1 for pair in marked)
    slower = len(marked) - faster
    return f"* beyond the noise: {len(marked)} of {len(pairs)} rows; B is faster in {faster}, slower in {slower}."


def _place(pair: RowPair) -> str:
    return "in place" if pair.in_place else "out of place"


def _document(
    sides: list[dict[str, Any]], unlike: list[str], found: list[Difference], pairs: list[RowPair]
) -> dict[str, Any]:
    a, b = (side["id"] for side in sides)
    rows = [asdict(pair) | {"ratio": pair.ratio, "is_beyond_noise": pair.is_beyond_noise} for pair in pairs]
    differing = [asdict(difference) for difference in found]
    return {"a": a, "b": b, "jobs": sides, "obstacles": unlike, "differences": differing, "rows": rows}
