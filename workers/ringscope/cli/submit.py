"""`ringscope submit`: send a job to the server, and wait for its outcome if asked."""

import json
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ringscope.cli.cluster import Gamma, Intra, Latency, LinkBetween, Nics, Oversubscription, Shape, described
from ringscope.cli.connection import Url, connect
from ringscope.cli.console import (
    DEFAULT_DATA_DIR,
    EXIT_CANCELLED,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    DataDir,
    complain,
    say,
)
from ringscope.cli.follow import LogReader, follow
from ringscope.cli.letters import LetterCommand, size, sweep_fields
from ringscope.cli.progress import describe, show_progress
from ringscope.client import Client, Job
from ringscope.errors import UserError
from ringscope.spec import COLLECTIVES, SIMULATED


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command(cls=LetterCommand)(submit)


def submit(
    file: Annotated[str | None, typer.Argument(help="The job as JSON, - for stdin; flags override it.")] = None,
    name: Annotated[str | None, typer.Option(help="A name to find it by.")] = None,
    ranks: Annotated[int | None, typer.Option(help="Processes in the gang.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Exactly this many nodes.")] = None,
    ranks_per_node: Annotated[int | None, typer.Option(help="Exactly this many ranks on each node.")] = None,
    collective: Annotated[str | None, typer.Option(help=f"{', '.join(COLLECTIVES)}.")] = None,
    algorithm: Annotated[str | None, typer.Option(help="Such as ring,direct,mpi.")] = None,
    transport: Annotated[
        str | None, typer.Option(help="auto, shared_memory, mpi, nccl, cuda_ipc, or simulated: the cost model's times.")
    ] = None,
    min_bytes: Annotated[str | None, typer.Option("-b", "--min-bytes", help="Smallest size, such as 8.")] = None,
    max_bytes: Annotated[str | None, typer.Option("-e", "--max-bytes", help="Largest size: 64M.")] = None,
    step_factor: Annotated[int | None, typer.Option("-f", "--step-factor", help="From size to size.")] = None,
    step_bytes: Annotated[str | None, typer.Option("-i", "--step-bytes", help="Added, instead of -f.")] = None,
    iterations: Annotated[int | None, typer.Option("-n", "--iterations", help="Timed, each size.")] = None,
    warmup: Annotated[int | None, typer.Option("-w", "--warmup", help="Untimed, each size.")] = None,
    aggregate: Annotated[int | None, typer.Option("-m", "--aggregate", help="Operations per iteration.")] = None,
    cycles: Annotated[int | None, typer.Option("-N", "--cycles", help="How often the sweep is repeated.")] = None,
    blocking: Annotated[
        int | None, typer.Option("-z", "--blocking", help="Ranks meet after each operation (1) or iteration (3).")
    ] = None,
    average: Annotated[str | None, typer.Option("-a", "--average", help="0 rank0, 1 mean, 2 min or 3 max.")] = None,
    rotate: Annotated[int | None, typer.Option(min=0, max=1, help="Move on in memory each time.")] = None,
    per_iteration: Annotated[
        int | None, typer.Option("-I", "--per-iteration", min=0, max=1, help="Report each iteration.")
    ] = None,
    skip_iterations: Annotated[
        int | None, typer.Option("-K", "--skip-iterations", help="Left out of the statistics.")
    ] = None,
    timeout_seconds: Annotated[
        int | None, typer.Option("-T", "--timeout", help="Seconds that a rank waits for another one.")
    ] = None,
    check: Annotated[int | None, typer.Option("-c", "--check", min=0, max=1, help="Check results.")] = None,
    dtype: Annotated[str | None, typer.Option("-d", "--dtype", help="float, half, double, int8 and so on.")] = None,
    op: Annotated[str | None, typer.Option("-o", "--op", help="sum, prod, min, max or avg.")] = None,
    root: Annotated[int | None, typer.Option("-r", "--root", help="Of broadcast and reduce.")] = None,
    priority: Annotated[int | None, typer.Option(help="0 to 100, higher first.")] = None,
    time_limit: Annotated[int | None, typer.Option(help="Seconds until the job is stopped.")] = None,
    label: Annotated[list[str] | None, typer.Option(help="key=value, repeatable.")] = None,
    selector: Annotated[list[str] | None, typer.Option(help="Node label key=value, repeatable.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the job has ended.")] = False,
    follow_log: Annotated[bool, typer.Option("--follow", help="Wait and print the job's log.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the job as JSON.")] = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
    topology: Shape = None,
    link: LinkBetween = None,
    latency: Latency = None,
    intra: Intra = None,
    nics: Nics = None,
    oversubscription: Oversubscription = None,
    gamma: Gamma = None,
) -> None:
    """Submit a job.

    --topology (or --ranks) and the options after it describe the cluster of --transport simulated.

    With --wait or --follow the exit code is the outcome: 0 succeeded, 1 failed, 3 cancelled. 2 is bad input,
    or a server that does not answer.
    """
    base = _read(file) if file else {}
    is_simulated = (transport or _transport(base)) == SIMULATED
    ranks_there = ranks if is_simulated else None
    cluster = described(topology, link, latency, intra, nics, oversubscription, gamma, ranks_there)
    sweep = sweep_fields(
        min_bytes=size("-b", min_bytes),
        max_bytes=size("-e", max_bytes),
        step_factor=step_factor,
        step_bytes=step_bytes,
        iterations=iterations,
        warmup=warmup,
        aggregate=aggregate,
        cycles=cycles,
        blocking=blocking,
        average=average,
        rotate=rotate,
        check=check,
        dtype=dtype,
        per_iteration=per_iteration,
        skip_iterations=skip_iterations,
        timeout_seconds=timeout_seconds,
    )
    flags: dict[tuple[str, ...], Any] = {
        ("name",): name,
        ("placement", "ranks"): None if is_simulated else ranks,
        ("placement", "nodes"): nodes,
        ("placement", "ranks_per_node"): ranks_per_node,
        ("placement", "selector"): pairs("--selector", selector),
        ("benchmark", "collective"): collective,
        ("benchmark", "algorithms"): algorithm.split(",") if algorithm is not None else None,
        ("benchmark", "transport"): transport,
        **{("benchmark", name): value for name, value in sweep.items()},
        ("benchmark", "op"): op,
        ("benchmark", "root"): root,
        ("priority",): priority,
        ("time_limit_seconds",): time_limit,
        ("labels",): pairs("--label", label),
    }
    flags |= {("benchmark", "topology", field): value for field, value in cluster.items()}
    body = job_body(base, flags)
    with connect(url, data_dir) as client:
        job = client.submit(body, str(uuid.uuid4()))
        if wait or follow_log:
            job = _wait(client, job, follow_log)
        _tell(client, job, as_json)
    raise typer.Exit(exit_code(job) if wait or follow_log else 0)


def job_body(base: Mapping[str, Any], flags: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    """The job to submit: ``base`` with every given flag put at its path; the server validates it."""
    body = json.loads(json.dumps(base))
    for (*parents, field), value in flags.items():
        if value is None:
            continue
        place = body
        for parent in parents:
            place[parent] = place.get(parent) or {}
            place = place[parent]
        place[field] = value
    return dict(body)


def exit_code(job: Job) -> int:
    """The outcome of a finished job as an exit code."""
    return {"succeeded": 0, "cancelled": EXIT_CANCELLED}.get(job.state, EXIT_FAILED)


def pairs(flag: str, items: list[str] | None) -> dict[str, str] | None:
    """key=value items as a mapping; None when there is none."""
    for item in items or ():
        if "=" not in item:
            raise UserError(f"{flag} {item}: this is not key=value; write for example {flag} team=infra.")
    return {key: value for key, _, value in (item.partition("=") for item in items)} if items else None


def _wait(client: Client, job: Job, with_log: bool) -> Job:
    try:
        if not with_log:
            return show_progress(follow(client, job.id))
        reader = LogReader(client, job.id)
        for seen in follow(client, job.id):
            job = seen
            for line in reader.fresh():
                complain(line.text)
        return job
    except KeyboardInterrupt:
        complain(f"Job {job.id} goes on without you; `ringscope cancel {job.id}` ends it.")
        raise typer.Exit(EXIT_INTERRUPTED) from None


def _tell(client: Client, job: Job, as_json: bool) -> None:
    if as_json:
        say(job.model_dump_json(indent=2))
        return
    say(describe(job))
    if job.summary.verdict:
        say(job.summary.verdict)
    say(f"{client.url}/jobs/{job.id}")


def _read(file: str) -> dict[str, Any]:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text()
        body = json.loads(text)
    except OSError as error:
        raise UserError(f"{file} cannot be read ({error.strerror}); name a file that holds a job.") from error
    except ValueError as error:
        raise UserError(f"{file} is not valid JSON: {error}.") from error
    if not isinstance(body, dict):
        raise UserError(f'{file} holds no JSON object; a job looks like {{"kind": "benchmark", …}}.')
    return body


def _transport(base: Mapping[str, Any]) -> object:
    benchmark = base.get("benchmark")
    return benchmark.get("transport") if isinstance(benchmark, dict) else None
