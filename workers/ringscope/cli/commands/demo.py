"""`ringscope demo`: all steps once, on this machine: serve, submit, watch, compare."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ringscope.cli.activity import loading_of
from ringscope.cli.caveats import sentences
from ringscope.cli.commands.up import Host, MetricsPort, Port
from ringscope.cli.connection import as_typed
from ringscope.cli.console import DEFAULT_DATA_DIR, EXIT_FAILED, DataDir, complain, say, stdout_console
from ringscope.cli.follow import follow
from ringscope.cli.outcome import exit_code
from ringscope.cli.processes.children import ChildDiedError, interrupts
from ringscope.cli.processes.stack import Stack, StackOptions, default_slots, running_stack
from ringscope.cli.progress import describe, show_progress
from ringscope.cli.size_table import caption, size_table
from ringscope.cli.training import figures
from ringscope.client import Job
from ringscope.judging.verdict import about_ratio

MOST_RANKS = 4
DEMO_JOB: dict[str, Any] = {
    "name": "demo",
    "kind": "benchmark",
    "time_limit_seconds": 3600,  # a busy machine needs minutes for work that takes seconds elsewhere
    "benchmark": {
        "algorithms": ["ring", "direct", "mpi"],
        "min_bytes": 16,
        "max_bytes": 4 << 20,
        "step_factor": 4,
        "cycles": 5,  # with 20 iterations each, a factor of 1.5 is found although other processes keep all cores busy
        "check": True,
    },
}


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(demo)


def demo(
    leave: Annotated[bool, typer.Option("--exit", help="Stop everything once the result is printed.")] = False,
    port: Port = 8000,
    metrics_port: MetricsPort = None,
    host: Host = "127.0.0.1",
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Run server and agent, submit a benchmark, show its result; serve until Ctrl-C.

    With --exit the exit code is 0 only if the benchmark succeeded.
    """
    slots = min(MOST_RANKS, max(2, default_slots()))  # a single rank has no peer to reduce with
    options = StackOptions(data_dir, host, port, slots, metrics_port)
    code = 0
    try:
        with interrupts(), running_stack(options) as stack:
            job = _run(stack)
            code = exit_code(job)
            if not leave:
                _invite(stack, job, data_dir)
                stack.children.watch()
    except KeyboardInterrupt:
        say("Stopped.")
    except ChildDiedError as death:
        complain(str(death))
        code = EXIT_FAILED
    raise typer.Exit(code)


def _run(stack: Stack) -> Job:
    client = stack.client
    say(f"Ringscope runs at {client.url}")
    say(f"  log in once   {client.login_link().url}")
    job = client.submit(DEMO_JOB | {"placement": {"ranks": stack.slots}})
    job = show_progress(follow(client, job.id), loading_of(client))
    rows = client.measurements(job.id)
    if rows:
        say()
        say(caption(rows))
        stdout_console().print(size_table(rows, client.verdict(job.id).fastest))
    say()
    say(describe(job))
    explained = [job.summary.explanation] if job.state == "succeeded" else []
    for sentence in filter(None, (found := figures(job), about_ratio(found), *explained, *sentences(job))):
        say(sentence)
    return job


def _invite(stack: Stack, job: Job, data_dir: Path) -> None:
    say(f"  this job      {stack.client.url}/jobs/{job.id}")
    say(f"  log in once   {stack.client.login_link().url}")
    say(as_typed(f"  every row     `ringscope show {job.id}`", data_dir=data_dir))
    say("Serving until Ctrl-C, which stops everything.")
