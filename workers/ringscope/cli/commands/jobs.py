"""`ringscope jobs`, `show`, `logs` and `steps`: information about jobs."""

from collections.abc import Iterable
from typing import Annotated, Literal

import typer

from ringscope.bench.nccl_tests.table import render_table
from ringscope.cli.caveats import marks, sentences, title
from ringscope.cli.commands.insights import insight_lines
from ringscope.cli.connection import Url, as_typed, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, pour, say, say_json, stdout_console
from ringscope.cli.follow import LogReader, follow
from ringscope.cli.formatting import AsJson, Columns, label_words, moment, say_list, when
from ringscope.cli.job_body import pairs
from ringscope.cli.progress import describe, done_of_total
from ringscope.cli.results.collective_table import print_collectives
from ringscope.cli.results.explained import say_references
from ringscope.cli.results.link_matrix import print_links
from ringscope.cli.results.search_table import print_candidates
from ringscope.cli.short_flags import size
from ringscope.cli.training import epochs_table, figures
from ringscope.cli.unused_options import refuse_unused
from ringscope.client import ApiProblemError, CalledCollectives, Client, Job
from ringscope.client.views.imports import Judgement
from ringscope.contracts.job import IMPORTED
from ringscope.contracts.record import Measurement
from ringscope.judging.verdict import about_ratio

JobId = Annotated[int, typer.Argument(metavar="ID", min=1, help="The job's number.")]


def _busbw(job: Job) -> str:
    """Return busbw of the fastest algorithm at the largest size; empty for training, or before any result."""
    summary = job.summary
    if not summary.sizes:
        return ""
    largest, limit = summary.sizes[-1], summary.limit_gb_per_s
    of_limit = [f"{largest.busbw_gb_per_s / limit:.0%} of the limit"] if limit else []
    return ", ".join([f"{largest.busbw_gb_per_s:.3g} GB/s", *of_limit, *marks(job, largest.is_unstable)])


def _verdict(job: Job) -> str:
    """Return the verdict or the figures of training, which has no bus bandwidth that could bear the marks."""
    found = figures(job)
    return ", ".join([found, *marks(job, is_unstable=False)]) if found and job.spec.benchmark is None else found


_COLUMNS: Columns[Job] = {
    "ID": lambda job: job.id,
    "NAME": title,
    "STATE": lambda job: job.state,
    "REASON": lambda job: job.pending.reason if job.pending else job.reason,
    "USER": lambda job: job.user,
    "DONE": done_of_total,
    "CREATED": lambda job: when(job.created_at),
    "BUSBW AT MAX SIZE": _busbw,
    "VERDICT": _verdict,
}


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    for command in (jobs, show, logs, steps):
        app.command()(command)


def jobs(
    context: typer.Context,
    state: Annotated[list[str] | None, typer.Option(help="Only in this state, such as running; repeatable.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only of this kind, such as benchmark.")] = None,
    user: Annotated[str | None, typer.Option(help="Only of this user.")] = None,
    label: Annotated[list[str] | None, typer.Option(help="Only with the label key=value; repeatable.")] = None,
    search: Annotated[str | None, typer.Option(help="Part of the name, or the number.")] = None,
    collective: Annotated[str | None, typer.Option(help="Only of this collective, such as all_reduce.")] = None,
    algorithm: Annotated[str | None, typer.Option(help="Only jobs with this algorithm, such as ring.")] = None,
    node: Annotated[str | None, typer.Option(help="Only jobs that had a rank on this node.")] = None,
    schedule: Annotated[int | None, typer.Option(help="Only jobs that the schedule of this number submitted.")] = None,
    judgement: Annotated[
        str | None, typer.Option(help="Only of this judgement: as_expected, low, above, impossible, unknown.")
    ] = None,
    sort: Annotated[str | None, typer.Option(help="id, name, ranks or busbw; -busbw: descending.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Number of jobs to print at most.")] = 20,
    everything: Annotated[bool, typer.Option("--all", help="All jobs, regardless of --limit.")] = False,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """List jobs, newest first unless --sort says otherwise."""
    if everything:
        refuse_unused(context, {"--limit": "--all lists every job; leave one of the two out."})
    labels = [f"{key}:{value}" for key, value in (pairs("--label", label) or {}).items()]
    with connect(url, data_dir) as client:
        found = client.jobs(
            state,
            None if everything else limit,
            kind,
            user,
            labels,
            search,
            schedule_id=schedule,
            node=node,
            collective=collective,
            algorithm=algorithm,
            sort=sort,
            judgement=judgement,
        )
    is_filtered = any((state, kind, user, label, search, collective, algorithm, node, schedule, judgement))
    say_list(
        found,
        _COLUMNS,
        as_json,
        "No job matches."
        if is_filtered
        else as_typed("No job yet; `ringscope submit --ranks 2` starts one.", url, data_dir),
    )


def show(
    context: typer.Context,
    job_id: JobId,
    min_bytes: Annotated[
        str | None, typer.Option("-b", "--min-bytes", help="Only rows of this size and above: 64K.")
    ] = None,
    max_bytes: Annotated[
        str | None, typer.Option("-e", "--max-bytes", help="Only rows of this size and below: 4M.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print by which references the bandwidth is judged.")
    ] = False,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Show one job: its state, and its table: the sweep in nccl-tests' columns for a benchmark, the epochs for
    training, the collectives for a script, the candidates for a strategy search, the links for a diagnosis. With
    --min-bytes or --max-bytes the verdict is about these sizes. --explain prints the references by which the bandwidth
    is judged.
    """
    if as_json:
        remedy = "only the table has rows; leave it out, or leave out --json."
        refuse_unused(context, {"--min-bytes": remedy, "--max-bytes": remedy, "--explain": remedy})
    low, high = size("--min-bytes", min_bytes), size("--max-bytes", max_bytes)
    with connect(url, data_dir) as client:
        job = client.job(job_id)
        is_benchmark = job.spec.benchmark is not None
        if not is_benchmark:
            remedy = f"job {job_id} is no benchmark; leave it out."
            refuse_unused(context, {"--min-bytes": remedy, "--max-bytes": remedy, "--explain": remedy})
        measured = rows = client.measurements(job_id) if is_benchmark and not as_json else []
        is_part = low is not None or high is not None
        part = client.verdict(job_id, low, high) if is_part else None
        is_search = job.spec.strategy_search is not None
        found_search = client.search(job_id) if is_search and not as_json else None
        is_diagnosis = job.spec.diagnosis is not None
        diagnosis = client.diagnosis(job_id) if is_diagnosis and not as_json else None
        epochs = client.epochs(job_id) if not (is_benchmark or is_search or is_diagnosis or as_json) else []
        called = _collectives(client, job) if not as_json else None
        judgement = _judgement(client, job, explain) if rows and (explain or not is_part) else None
    if as_json:
        say_json(job.model_dump_json(indent=2))
        return
    say(describe(job))
    for line in (*_facts(job), *sentences(job), *insight_lines(job.insights)):
        say(line)
    if part:
        rows = [row for row in rows if part.min_bytes <= row.size_bytes <= part.max_bytes]
    if rows:
        say(render_table(rows, job.spec.sweep))
    if found_search:
        print_candidates(found_search)
    if diagnosis:
        print_links(diagnosis)
        return
    if epochs:
        stdout_console().print(epochs_table(epochs))
    if called:
        print_collectives(called)
    if found := part.verdict or "The job measured no size in this range." if part else figures(job):
        say(found)
        if note := about_ratio(found):
            say(note)
    if judgement:
        say(judgement.sentence)
    elif explain:
        say("The bandwidth is not judged: the job has not ended, was simulated, or has no correct row.")
    if judgement and explain:
        best = _best(measured)
        sizes = [(best.get((one.size_bytes, one.in_place)), one.model_dump()) for one in judgement.sizes]
        say_references(sizes)


def _collectives(client: Client, job: Job) -> CalledCollectives | None:
    """Return what a script called; None for other jobs, and if the server is of an earlier version."""
    try:
        return client.collectives(job.id) if job.spec.script is not None else None
    except ApiProblemError:
        return None


def _judgement(client: Client, job: Job, explain: bool) -> Judgement | None:
    """Return whether the bandwidth of a job that has ended is what was to be expected; None if it is not known.

    If it is to be explained, and of an imported job, it is returned also if it is unknown: it names what is missing.
    """
    if not job.is_finished or job.spec.is_simulated:
        return None
    try:
        found = client.judgement(job.id)
    except ApiProblemError:  # no correct row, or a server of an earlier version
        return None
    return found if explain or found.word != "unknown" or job.kind == IMPORTED else None


def _best(rows: Iterable[Measurement]) -> dict[tuple[int, bool], float]:
    """Return the best bus bandwidth of each size and placement among the correct rows."""
    best: dict[tuple[int, bool], float] = {}
    for row in rows:
        if not row.wrong:
            place = row.size_bytes, row.in_place
            best[place] = max(row.busbw_gb_per_s, best.get(place, 0.0))
    return best


def logs(
    job_id: JobId,
    keep_following: Annotated[bool, typer.Option("-f", "--follow", help="Keep printing until the job ends.")] = False,
    rank: Annotated[int | None, typer.Option(min=0, help="Only this rank's lines.")] = None,
    level: Annotated[
        Literal["warning", "error"] | None,
        typer.Option(help="Only lines with words for an error, such as ValueError or fatal; or also for a warning."),
    ] = None,
    at: Annotated[
        str | None, typer.Option(help="Start at the last line printed by this time: 2026-01-31T12:00, or 30m, 2h ago.")
    ] = None,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Print a job's log; a line of a rank starts with its number. With --json one object per line."""
    with connect(url, data_dir) as client:
        reader = LogReader(client, job_id, rank, moment("--at", at), level)
        for _ in follow(client, job_id) if keep_following else (client.job(job_id),):
            for line in reader.fresh():
                if as_json:
                    say_json(line.model_dump_json())
                else:
                    who = f"[{line.rank}] " if line.rank is not None else ""
                    for part in line.text.splitlines() or [""]:  # every one of the lines is the rank's
                        say(f"{who}{part}")


def steps(
    job_id: JobId,
    export: Annotated[
        Literal["csv", "ndjson", "openmetrics"],
        typer.Option(help="Output format; openmetrics is for `promtool tsdb create-blocks-from`."),
    ] = "csv",
    rank: Annotated[int | None, typer.Option(min=0, help="Only of this rank.")] = None,
    algorithm: Annotated[str | None, typer.Option(help="Only of this algorithm.")] = None,
    attempt: Annotated[int | None, typer.Option(min=1, help="Number of the attempt; default: the newest.")] = None,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Write every step of every rank to stdout, with its exact times."""
    with connect(url, data_dir) as client:
        for piece in client.export_steps(job_id, export, rank, algorithm, attempt):
            pour(piece)


def _facts(job: Job) -> list[str]:
    """Return the facts that the first line leaves out, without those that are empty."""
    by = f" by {job.user}" if job.user else ""
    if job.spec.imported is not None:
        imported = job.spec.imported
        facts = [f"imported {when(job.created_at)}{by} from {imported.file}, line {imported.line} ({imported.tool})"]
        facts += ["adopted   it counts as a run of this cluster"] if job.is_adopted else []
        facts += ["partial   the table is not complete"] if imported.is_partial else []
    else:
        facts = [f"submitted {when(job.created_at)}{by}, priority {job.priority}"]
    facts += [f"labels    {label_words(job.labels)}"] if job.labels else []
    facts += [f"repeats   job {job.cloned_from}"] if job.cloned_from is not None else []
    facts += [f"schedule  {job.schedule_id}"] if job.schedule_id is not None else []
    facts += [f"attempt {attempt.number} on {', '.join(attempt.nodes)}" for attempt in job.attempts if attempt.nodes]
    facts += [job.fewer_ranks] if job.fewer_ranks else []
    return facts
