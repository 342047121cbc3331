"""A job's progress while it runs: a live bar on a terminal, plain lines everywhere else."""

from collections.abc import Callable, Iterable

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ringscope.cli.caveats import title
from ringscope.cli.console import complain, stderr_console, visible
from ringscope.client import Job

_MOST_NAMES = 5
_LINES = 10  # without a terminal: about one line per tenth of the sweep


def show_progress(jobs: Iterable[Job], loading: Callable[[Job], str] = lambda job: "") -> Job:
    """Show the job as it changes; return its last state, finished or not. Needs at least one state.

    ``loading`` describes what a job loads before it has a result.
    """
    console = stderr_console()
    return _bar(jobs, console, loading) if console.is_terminal else _lines(jobs, loading)


def describe(job: Job) -> str:
    """Describe the job's state in one sentence, with the reason why it waits or ended, if there is one."""
    name = f"Job {job.id} {title(job)}".rstrip()
    if job.state == "queued" and job.pending:
        sentence = job.pending.sentence
        return f"{name}: queued, {sentence[:1].lower()}{sentence[1:]}"
    if job.state == "starting" and (awaited := _awaited(job)):
        return f"{name}: starting, waits for {awaited}"
    reason = f" ({job.reason})" if job.reason and job.reason != "completed" else ""
    message = f": {job.message}" if job.message else ""
    return f"{name}: {job.state}{reason}{message}"


def unit(job: Job) -> str:
    """Return the unit in which the job's progress counts."""
    if job.spec.strategy_search is not None:
        return "runs"
    if job.spec.diagnosis is not None:
        return "pairs"
    return "rows" if job.spec.benchmark is not None else "steps"


def done_of_total(job: Job) -> str:
    """Return the progress as 3/8, or 3/? while the total is unknown."""
    total = job.progress.total
    return f"{job.progress.done}/{'?' if total is None else total}"


def _awaited(job: Job) -> str:
    """Return the nodes that delay the start of a gang; empty if there are none."""
    members = job.attempts[-1].members if job.attempts else []
    for phase, what in (("assigned", "to be ready"), ("ready", "to start ranks")):
        late = [member.node for member in members if member.phase == phase]
        if len(late) == 1:
            return f"node {late[0]} {what}" if len(members) == 1 else f"node {late[0]} of {len(members)} {what}"
        if late:
            more = ", …" if len(late) > _MOST_NAMES else ""
            return f"{len(late)} of {len(members)} nodes {what}: {', '.join(late[:_MOST_NAMES])}{more}"
    return ""


def _told(job: Job, loading: Callable[[Job], str]) -> str:
    words = loading(job)
    return f"{describe(job)}, {words}" if words else describe(job)


def _bar(jobs: Iterable[Job], console: Console, loading: Callable[[Job], str]) -> Job:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[unit]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("", total=None, unit="")
        for job in jobs:
            done, total = job.progress.done, job.progress.total
            progress.update(bar, description=visible(_told(job, loading)), completed=done, total=total, unit=unit(job))
    return job


def _lines(jobs: Iterable[Job], loading: Callable[[Job], str]) -> Job:
    shown: tuple[str, int] | None = None
    for job in jobs:
        done, total = job.progress.done, job.progress.total
        tenth = done * _LINES // max(total or 0, 1)
        told = _told(job, loading)
        if (told, tenth) != shown:
            shown = (told, tenth)
            of_total = "" if total is None else f" of {total}"
            complain(f"{told.rstrip('.')}, {done}{of_total} {unit(job)}")
    return job
