"""A job's progress while it runs: a live bar on a terminal, plain lines everywhere else."""

from collections.abc import Iterable

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ringscope.cli.console import complain, stderr_console
from ringscope.client import Job

_LINES = 10  # without a terminal: about one line per tenth of the sweep


def show_progress(jobs: Iterable[Job]) -> Job:
    """Show the job as it changes; returns it as it was last, finished or not. Needs at least one."""
    console = stderr_console()
    return _bar(jobs, console) if console.is_terminal else _lines(jobs)


def describe(job: Job) -> str:
    """Where the job stands, in one sentence: the reason why it waits or ended, where there is one."""
    title = f"Job {job.id} {job.name}".rstrip()
    if job.state == "queued" and job.pending:
        return f"{title}: queued, {job.pending.sentence}"
    reason = f" ({job.reason})" if job.reason and job.reason != "completed" else ""
    message = f": {job.message}" if job.message else ""
    return f"{title}: {job.state}{reason}{message}"


def _bar(jobs: Iterable[Job], console: Console) -> Job:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("rows"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("", total=None)
        for job in jobs:
            progress.update(bar, description=describe(job), completed=job.progress.done, total=job.progress.total)
    return job


def _lines(jobs: Iterable[Job]) -> Job:
    shown: tuple[str, int] | None = None
    for job in jobs:
        tenth = job.progress.done * _LINES // max(job.progress.total, 1)
        if (describe(job), tenth) != shown:
            shown = (describe(job), tenth)
            complain(f"{describe(job)}, {job.progress.done} of {job.progress.total} rows")
    return job
