"""Waiting for a job that was just created, and its outcome as text and as an exit code."""

from typing import Annotated

import typer

from ringscope.cli.activity import loading_of
from ringscope.cli.caveats import sentences
from ringscope.cli.connection import as_typed
from ringscope.cli.console import EXIT_CANCELLED, EXIT_FAILED, EXIT_INTERRUPTED, complain, say, say_json
from ringscope.cli.follow import LogReader, follow
from ringscope.cli.progress import describe, show_progress
from ringscope.cli.training import figures, show_epochs
from ringscope.client import Client, Job

Wait = Annotated[bool, typer.Option("--wait", help="Wait until the job has ended.")]
Follow = Annotated[bool, typer.Option("--follow", help="Wait and print the job's log.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the job as JSON.")]


def report(client: Client, job: Job, wait: bool, with_log: bool, as_json: bool) -> int:
    """Print a new job, immediately or when it has ended; return the exit code of the command."""
    if wait or with_log:
        job = _wait(client, job, with_log)
    if as_json:
        say_json(job.model_dump_json(indent=2))
    else:
        say(describe(job))
        if found := figures(job):
            say(found)
        for sentence in sentences(job):
            say(sentence)
        say(f"{client.page_url}/jobs/{job.id}")
    return exit_code(job) if wait or with_log else 0


def exit_code(job: Job) -> int:
    """Return the outcome of a finished job as an exit code."""
    return {"succeeded": 0, "cancelled": EXIT_CANCELLED}.get(job.state, EXIT_FAILED)


def _wait(client: Client, job: Job, with_log: bool) -> Job:
    try:
        if not with_log and job.spec.training is not None:
            return show_epochs(client, follow(client, job.id))
        if not with_log:
            return show_progress(follow(client, job.id), loading_of(client))
        reader = LogReader(client, job.id)
        for seen in follow(client, job.id):
            job = seen
            for line in reader.fresh():
                complain(line.text)
        return job
    except KeyboardInterrupt:
        complain(as_typed(f"Job {job.id} continues; `ringscope cancel {job.id}` stops it.", client.url))
        raise typer.Exit(EXIT_INTERRUPTED) from None
