"""`ringscope diff` compares two jobs, and `ringscope regressions` the last 24 hours with those before."""

import json
from dataclasses import asdict
from typing import Annotated, Any, NamedTuple

import typer

from ringscope.cli.caveats import sentences
from ringscope.cli.connection import Url, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, say, say_json, stdout_console
from ringscope.cli.formatting import AsJson, table
from ringscope.cli.results.search_table import say_side_by_side
from ringscope.client import Against, AttemptEnvironment, Client, ComparedRow, Interpolated, Job, Regression
from ringscope.contracts.record import Measurement
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.units import format_size, plural
from ringscope.judging.two_jobs import FASTEST, Difference, differences, obstacles

First = Annotated[int, typer.Argument(metavar="A", help="The number of the job to compare with.")]
Second = Annotated[int, typer.Argument(metavar="B", help="The number of the other job.")]
_REGRESSION_HEADINGS = ("ALGORITHM", "COLLECTIVE", "SIZE", "NODES", "TIMES AS LONG", "95 %", "JOB", "BASE")


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command()(diff)
    app.command()(regressions)


def diff(a: First, b: Second, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Compare two jobs: specification, outcome, nodes, versions, and the measured rows or candidates side by side.

    B/A is the ratio of the times: below 1 B is faster. It compares the rounds of both, so that a few slow iterations
    count little, and the times are the medians of these rounds; they are means if a row has no rounds. * marks a ratio
    whose 95 % interval excludes 1. An unstable row is unreliable; rows with wrong elements are left out.
    """
    with connect(url, data_dir) as client:
        jobs = client.job(a), client.job(b)
        rows = client.measurements(a), client.measurements(b)
        facts = _facts(client, jobs[0], rows[0]), _facts(client, jobs[1], rows[1])
        compared = _compared(client, *jobs)
        are_searches = all(job.spec.strategy_search is not None for job in jobs)
        searches = [client.search(job.id) for job in jobs] if are_searches else []
    specs = (job.spec.model_dump(mode="json") for job in jobs)
    found = [*differences(*specs), *differences(*facts)]
    sides = [_side(*side) for side in zip(jobs, rows, strict=True)]
    if as_json:
        document = _document(sides, compared, found)
        document |= {"searches": [search.model_dump(mode="json") for search in searches]} if searches else {}
        say_json(json.dumps(document, indent=2))
        return
    _say_differences(a, b, found)
    if searches:
        say_side_by_side(searches[0], searches[1], (a, b))
    if not any(rows) and not any(job.spec.benchmark for job in jobs):
        return
    _say_caveats(jobs, sides, compared.obstacles)
    say()
    times = [_times_us(pair) for pair in compared.pairs]
    shown = [pair_us for pair_us in times if pair_us is not None]
    are_medians = len(shown) == len(times)
    what = "medians of the rounds, which B/A compares" if are_medians else "means, as not all rows have rounds"
    say(
        f"Rows of the same collective, algorithm, size and placement: {len(compared.pairs)} "
        f"(of {compared.counts[0]} in job {a}, {compared.counts[1]} in job {b}); times are {what}."
    )
    if compared.pairs:
        headings = ("ALGORITHM", "SIZE", "PLACE", f"A={a} us", f"B={b} us", "B/A", "95 %", "")
        means = [(pair.a.time_us, pair.b.time_us) for pair in compared.pairs]
        lines = map(_row, compared.pairs, shown if are_medians else means)
        stdout_console().print(table(headings, lines))
        say(_sum(compared.pairs))
    elif compared.interpolated:
        _say_interpolated(b, compared.interpolated)


class _Pair(NamedTuple):
    """The rows of both jobs for one algorithm, size and placement."""

    a: ComparedRow
    b: ComparedRow
    against: Against


class _Compared(NamedTuple):
    obstacles: list[str]  # why their rows do not measure the same thing
    counts: tuple[int, int]  # rows of each job
    pairs: list[_Pair]
    interpolated: list[Interpolated]  # instead of pairs, where the jobs have no common size


def _compared(client: Client, a: Job, b: Job) -> _Compared:
    """Return the comparison of the server, which the page Compare shows too."""
    if a.spec.benchmark is None or b.spec.benchmark is None:
        return _Compared(obstacles(a.spec, b.spec), (0, 0), [], [])
    jobs = client.comparison([a.id, b.id]).jobs
    of_a, of_b = ([row for row in jobs[place].rows if row.algorithm != FASTEST] for place in (0, -1))
    by_place = {(row.algorithm, row.size_bytes, row.in_place): row for row in of_a}
    pairs = [
        _Pair(by_place[row.algorithm, row.size_bytes, row.in_place], row, row.against)
        for row in of_b
        if row.against is not None
    ]
    return _Compared(jobs[-1].obstacles, (len(of_a), len(of_b)), pairs, jobs[-1].interpolated)


def _say_interpolated(b: int, found: list[Interpolated]) -> None:
    """Print the comparison of the fastest algorithms, else of the first algorithm, and what would compare the jobs."""
    first = next((one for one in found if one.algorithm == FASTEST and not one.in_place), found[0])
    what = "Fastest algorithms" if first.algorithm == FASTEST else first.algorithm
    say(f"{what}, {'in place' if first.in_place else 'out of place'}: {first.sentence}")
    sizes = f"benchmark.min_bytes={first.base_min_bytes} --set benchmark.max_bytes={first.base_max_bytes}"
    say(f"`ringscope clone {b} --set {sizes}` measures the sizes of the other job.")


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
    more = ("input_seconds", "seconds_to_target", "scaling_efficiency")
    return {name: getattr(job.summary, name) for name in (*names, *more)}


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
    a, b = (job.id for job in jobs)
    if a != b and unlike:
        say(f"Job {b} and the base job {a} do not measure the same thing: {' '.join(unlike)}")


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return value if isinstance(value, str) else json.dumps(value)


def _times_us(pair: _Pair) -> tuple[float, float] | None:
    """Return the medians that the ratio is made of; None: one of the rows has no rounds, so the means are compared."""
    of_a, of_b = pair.a.median_us, pair.b.median_us
    return None if of_a is None or of_b is None else (of_a, of_b)


def _row(pair: _Pair, times_us: tuple[float, float]) -> tuple[str, ...]:
    return (
        pair.a.algorithm,
        format_size(pair.a.size_bytes),
        "in place" if pair.a.in_place else "out of place",
        *(f"{time_us:.2f}" for time_us in times_us),
        f"{pair.against.ratio:.3f}",
        _interval(pair.against),
        _marks(pair),
    )


def _marks(pair: _Pair) -> str:
    unstable = [side for side, row in (("A", pair.a), ("B", pair.b)) if row.is_unstable]
    words = f"{' and '.join(unstable)} unstable" if unstable else ""
    return " ".join(filter(None, ("*" if _is_clear(pair.against) else "", words)))


def _is_clear(against: Against) -> bool:
    """Return whether the ratio's 95 % interval excludes 1; an older server does not say it."""
    low, high = against.ratio_low, against.ratio_high
    return low is not None and high is not None and not low <= 1 <= high


def _interval(against: Against) -> str:
    return "-" if against.ratio_low is None else f"{against.ratio_low:.3f} to {against.ratio_high:.3f}"


def _sum(pairs: list[_Pair]) -> str:
    clear = [pair.against.ratio for pair in pairs if _is_clear(pair.against)]
    faster = sum(ratio < 1 for ratio in clear)
    slower = len(clear) - faster
    return f"* clear difference: {len(clear)} of {len(pairs)} rows; B is faster in {faster}, slower in {slower}."


def _document(sides: list[dict[str, Any]], compared: _Compared, found: list[Difference]) -> dict[str, Any]:
    a, b = (side["id"] for side in sides)
    rows = [
        {
            "algorithm": pair.a.algorithm,
            "size_bytes": pair.a.size_bytes,
            "in_place": pair.a.in_place,
            "a_us": pair.a.time_us,
            "b_us": pair.b.time_us,
            "a_median_us": pair.a.median_us,
            "b_median_us": pair.b.median_us,
            "ratio": pair.against.ratio,
            "ratio_low": pair.against.ratio_low,
            "ratio_high": pair.against.ratio_high,
            "is_clear": _is_clear(pair.against),
            "is_beyond_noise": _is_clear(pair.against),  # the former name
            "noise_us": pair.against.noise * pair.a.time_us,
            "a_is_unstable": pair.a.is_unstable,
            "b_is_unstable": pair.b.is_unstable,
        }
        for pair in compared.pairs
    ]
    differing = [asdict(difference) for difference in found]
    interpolated = [one.model_dump() for one in compared.interpolated]
    found_there = {"obstacles": compared.obstacles, "differences": differing, "rows": rows}
    return {"a": a, "b": b, "jobs": sides} | found_there | {"interpolated": interpolated}


def regressions(as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """List what takes longer than the day before.

    It compares each undisturbed benchmark of the last 24 hours with the same one on the same nodes of the 24 hours
    before. A regression is a ratio of the times whose 95 % interval lies above 1.
    """
    with connect(url, data_dir) as client:
        found = client.regressions()
    if as_json:
        say_json(found.model_dump_json(indent=2))
        return
    if not found.pairs:
        say("Nothing can be compared: no undisturbed benchmark ran on the same nodes on both days.")
        return
    say(f"{plural(found.pairs, 'benchmark')} compared with the day before, {len(found.items)} slower.")
    if found.items:
        stdout_console().print(table(_REGRESSION_HEADINGS, map(_regression, found.items)))
        worst = found.items[0]
        say(f"`ringscope diff {worst.base_job_id} {worst.job_id}` compares the first ones row by row.")


def _regression(found: Regression) -> tuple[object, ...]:
    return (
        found.algorithm,
        found.collective,
        format_size(found.size_bytes),
        ",".join(found.nodes),
        f"{found.ratio:.3g}",
        f"{found.ratio_low:.3g} to {found.ratio_high:.3g}",
        found.job_id,
        found.base_job_id,
    )
