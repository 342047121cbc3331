"""`ringscope submit`: send a job to the server, and optionally wait for its outcome."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from ringscope.cli.cluster import Channels, Gamma, Intra, Latency, LinkBetween, Nics, Oversubscription, Shape, described
from ringscope.cli.connection import Url, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, say, say_json
from ringscope.cli.dry_run import in_words
from ringscope.cli.job_body import job_body, pairs, read_job
from ringscope.cli.outcome import AsJson, Follow, Wait, report
from ringscope.cli.short_flags import LetterCommand, size, sweep_fields
from ringscope.cli.sweep_options import (
    Aggregate,
    Algorithms,
    Average,
    Blocking,
    Check,
    CollectiveOption,
    Cycles,
    Device,
    Dtype,
    Iterations,
    MaxBytes,
    MinBytes,
    Op,
    PerIteration,
    RankTimeout,
    Root,
    Rotate,
    SkipIterations,
    StepBytes,
    StepFactor,
    Transport,
    Warmup,
    listed,
)
from ringscope.cli.unused_options import NOTHING_TO_WAIT_FOR, refuse_unused, unused_in_sweep
from ringscope.contracts.words.devices import SIMULATED


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command(cls=LetterCommand)(submit)


def submit(
    context: typer.Context,
    file: Annotated[str | None, typer.Argument(help="The job as JSON, - for stdin; flags override it.")] = None,
    name: Annotated[str | None, typer.Option(help="A name to find it by.")] = None,
    ranks: Annotated[int | None, typer.Option(help="Processes in the gang.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Exactly this many nodes.")] = None,
    node: Annotated[
        list[str] | None, typer.Option(help="Name of a node, repeatable; the job runs on all of them and no others.")
    ] = None,
    ranks_per_node: Annotated[int | None, typer.Option(help="Exactly this many ranks on each node.")] = None,
    arrangement: Annotated[str | None, typer.Option(help="pack: as few nodes as possible; spread: as many.")] = None,
    exclusive: Annotated[
        bool | None,
        typer.Option("--exclusive/--shared", help="Run alone on its nodes, the default of benchmarks, or share them."),
    ] = None,
    same_rack: Annotated[bool, typer.Option("--same-rack", help="All nodes carry the same label rack.")] = False,
    selector: Annotated[list[str] | None, typer.Option(help="Node label key=value, repeatable.")] = None,
    gpu_model: Annotated[str | None, typer.Option(help="Part of the model's name of its GPUs, such as H200.")] = None,
    min_gpu_memory: Annotated[str | None, typer.Option(help="Least memory of each GPU: 80G.")] = None,
    min_memory: Annotated[str | None, typer.Option(help="Least memory of each node: 256G.")] = None,
    collective: CollectiveOption = None,
    algorithm: Algorithms = None,
    transport: Transport = None,
    device: Device = None,
    min_bytes: MinBytes = None,
    max_bytes: MaxBytes = None,
    step_factor: StepFactor = None,
    step_bytes: StepBytes = None,
    iterations: Iterations = None,
    warmup: Warmup = None,
    aggregate: Aggregate = None,
    cycles: Cycles = None,
    blocking: Blocking = None,
    average: Average = None,
    rotate: Rotate = None,
    per_iteration: PerIteration = None,
    skip_iterations: SkipIterations = None,
    timeout_seconds: RankTimeout = None,
    check: Check = None,
    dtype: Dtype = None,
    op: Op = None,
    root: Root = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Also trace one operation of each row; `ringscope trace --job` shows it.")
    ] = False,
    priority: Annotated[int | None, typer.Option(help="0 to 100, higher first.")] = None,
    time_limit: Annotated[int | None, typer.Option(help="Seconds until the job is stopped.")] = None,
    start_seconds: Annotated[
        int | None, typer.Option(help="How long each part of the start may take; more on busy nodes.")
    ] = None,
    load_seconds: Annotated[
        int | None, typer.Option(help="How long one import, read or compilation may take; default: 1800.")
    ] = None,
    hang_seconds: Annotated[
        int | None,
        typer.Option(
            help="Seconds without progress of any rank until the job counts as hung and is ended; default: 60."
        ),
    ] = None,
    queue_timeout: Annotated[
        int | None, typer.Option(help="Seconds in the queue after which it fails; default: it waits for ever.")
    ] = None,
    max_attempts: Annotated[
        int | None, typer.Option(help="Tries, counting the first, when a node or the service fails.")
    ] = None,
    hold: Annotated[bool, typer.Option("--hold", help="Wait until `ringscope release`.")] = False,
    label: Annotated[list[str] | None, typer.Option(help="key=value, repeatable.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Submit nothing; say when it would start and what it would delay.")
    ] = False,
    wait: Wait = False,
    follow_log: Follow = False,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
    topology: Shape = None,
    link: LinkBetween = None,
    latency: Latency = None,
    intra: Intra = None,
    nics: Nics = None,
    channels: Channels = None,
    oversubscription: Oversubscription = None,
    gamma: Gamma = None,
) -> None:
    """Submit a job.

    --topology (or --ranks) and the options after it describe the cluster of --transport simulated.

    With --wait or --follow the exit code is the outcome: 0 succeeded, 1 failed, 3 cancelled. 2 is bad input,
    or a server that does not answer.
    """
    base = read_job(file) if file else {}
    is_simulated = (transport or _transport(base)) == SIMULATED
    ranks_there = ranks if is_simulated else None
    described_in = channels if is_simulated else None
    cluster = described(topology, link, latency, intra, nics, oversubscription, gamma, ranks_there, described_in)
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
        channels=None if is_simulated else channels,
    )
    flags: dict[tuple[str, ...], Any] = {
        ("name",): name,
        ("placement", "ranks"): None if is_simulated else ranks,
        ("placement", "nodes"): nodes,
        ("placement", "node_names"): node,
        ("placement", "ranks_per_node"): ranks_per_node,
        ("placement", "arrangement"): arrangement,
        ("placement", "exclusive"): exclusive,
        ("placement", "same_rack"): same_rack or None,
        ("placement", "selector"): pairs("--selector", selector),
        ("placement", "gpu_model"): gpu_model,
        ("placement", "min_gpu_memory_bytes"): size("--min-gpu-memory", min_gpu_memory),
        ("placement", "min_memory_bytes"): size("--min-memory", min_memory),
        ("benchmark", "collective"): collective,
        ("benchmark", "algorithms"): listed(algorithm) if algorithm else None,
        ("benchmark", "transport"): transport,
        ("benchmark", "device"): device,
        **{("benchmark", name): value for name, value in sweep.items()},
        ("benchmark", "op"): op,
        ("benchmark", "root"): root,
        ("benchmark", "trace"): trace or None,
        **{("benchmark", "topology", field): value for field, value in cluster.items()},
        ("priority",): priority,
        ("time_limit_seconds",): time_limit,
        ("start_seconds",): start_seconds,
        ("load_seconds",): load_seconds,
        ("hang_seconds",): hang_seconds,
        ("queue_timeout_seconds",): queue_timeout,
        ("max_attempts",): max_attempts,
        ("hold",): hold or None,
        ("labels",): pairs("--label", label),
    }
    body = job_body(base, flags)
    if (benchmark := body.get("benchmark")) is not None:
        refuse_unused(context, unused_in_sweep(benchmark))
    if dry_run:
        refuse_unused(context, NOTHING_TO_WAIT_FOR)
    with connect(url, data_dir) as client:
        if dry_run:
            plan = client.plan_queue(body)
            if as_json:
                say_json(plan.model_dump_json(indent=2, by_alias=True))
            else:
                say(in_words(plan))
            return
        code = report(client, client.submit(body), wait, follow_log, as_json)
    raise typer.Exit(code)


def _transport(base: Mapping[str, Any]) -> object:
    benchmark = base.get("benchmark")
    return benchmark.get("transport") if isinstance(benchmark, dict) else None
