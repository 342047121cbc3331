"""`ringscope jobs`, `show`, `logs` and `cancel`: looking at jobs, and stopping them."""

import json
from typing import Annotated

import typer
from rich.table import Table

from ringscope.cli.connection import Url, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, say, stdout_console
from ringscope.cli.follow import LogReader, follow
from ringscope.cli.progress import describe
from ringscope.client import Job
from ringscope.nccl_tests import render_table

JobId = Annotated[int, typer.Argument(metavar="ID", help="The job's number.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    for command in (jobs, show, logs, cancel):
        app.command()(command)


def jobs(
    state: Annotated[str | None, typer.Option(help="Only jobs in this state, such as running.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most so many, newest first.")] = 20,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """List jobs, newest first."""
    with connect(url, data_dir) as client:
        found = client.jobs(state, limit)
    if as_json:
        say(json.dumps([job.model_dump(mode="json") for job in found], indent=2))
    elif not found:
        say("No job yet; `ringscope submit --ranks 2` starts one." if state is None else f"No job is {state}.")
    else:
        stdout_console().print(_table(found))


def show(job_id: JobId, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Show one job: where it stands, and its table in nccl-tests' columns."""
    with connect(url, data_dir) as client:
        job = client.job(job_id)
        rows = client.measurements(job_id)
    if as_json:
        say(job.model_dump_json(indent=2))
        return
    say(describe(job))
    if rows:
        say(render_table(rows, job.spec.benchmark))
        say(job.summary.verdict)


def logs(
    job_id: JobId,
    keep_following: Annotated[bool, typer.Option("-f", "--follow", help="Go on until the job ends.")] = False,
    rank: Annotated[int | None, typer.Option(help="Only this rank's lines.")] = None,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Print a job's log; a line of a rank starts with its number."""
    with connect(url, data_dir) as client:
        reader = LogReader(client, job_id, rank)
        for _ in follow(client, job_id) if keep_following else (client.job(job_id),):
            for line in reader.fresh():
                say(f"[{line.rank}] {line.text}" if line.rank is not None else line.text)


def cancel(job_id: JobId, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Ask the server to stop a job."""
    with connect(url, data_dir) as client:
        say(describe(client.cancel(job_id)))


def _table(found: list[Job]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("ID", "NAME", "STATE", "REASON", "ROWS", "CREATED", "VERDICT"):
        table.add_column(heading)
    for job in found:
        rows = f"{job.progress.done}/{job.progress.total}"
        created = job.created_at.astimezone().strftime("%Y-%m-%d %H:%M")
        cells = (str(job.id), job.name, job.state, job.reason or "", rows, created, job.summary.verdict)
        table.add_row(*cells)
    return table
