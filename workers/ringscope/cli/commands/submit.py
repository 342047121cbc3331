"""`ringscope submit`: send a job to the server, and optionally wait for its outcome."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from ringscope.cli.cluster import ClusterOptions
from ringscope.cli.job_body import job_body, read_job, script_fields
from ringscope.cli.option_groups import unfolded
from ringscope.cli.short_flags import LetterCommand, size
from ringscope.cli.submission import JobOptions, Submission
from ringscope.cli.sweep_options import CollectiveOption, SweepOptions
from ringscope.cli.unused_options import refuse_unused, unused_in_sweep
from ringscope.contracts.words.devices import SIMULATED


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command(cls=LetterCommand)(unfolded(submit))


def submit(
    context: typer.Context,
    file: Annotated[str | None, typer.Argument(help="The job as JSON, - for stdin; flags override it.")] = None,
    script: Annotated[
        str | None,
        typer.Option(
            metavar="'[-m] FILE ARGUMENTS'",
            help="Run this Python file of the nodes instead of a benchmark: 'train.py --epochs 3', or as a module "
            "'-m pkg/train.py'.",
        ),
    ] = None,
    folder: Annotated[
        str | None, typer.Option(help="Working folder of --script, below the folder of the agents' --scripts.")
    ] = None,
    no_watch: Annotated[
        bool, typer.Option("--no-watch", help="Report no steps and collectives for --script; it reports its own.")
    ] = False,
    options: JobOptions = JobOptions(),
    ranks: Annotated[int | None, typer.Option(help="Processes in the gang.")] = None,
    ranks_per_node: Annotated[int | None, typer.Option(help="Exactly this many ranks on each node.")] = None,
    arrangement: Annotated[
        str | None,
        typer.Option(help="pack: as few nodes as possible; spread: as many; fastest: few with the fastest links."),
    ] = None,
    exclusive: Annotated[
        bool | None,
        typer.Option("--exclusive/--shared", help="Run alone on its nodes, the default of benchmarks, or share them."),
    ] = None,
    same_rack: Annotated[bool, typer.Option("--same-rack", help="All nodes have the same label rack.")] = False,
    quiet: Annotated[
        bool, typer.Option("--when-quiet", help="Wait until other processes leave its nodes' cores idle.")
    ] = False,
    preflight: Annotated[
        bool, typer.Option("--preflight", help="Measure its nodes for 2 s before it starts, and leave out a slow one.")
    ] = False,
    gpu_model: Annotated[str | None, typer.Option(help="Part of the model's name of its GPUs, such as H200.")] = None,
    min_gpu_memory: Annotated[str | None, typer.Option(help="Minimum memory of each GPU: 80G.")] = None,
    min_memory: Annotated[str | None, typer.Option(help="Minimum memory of each node: 256G.")] = None,
    collective: CollectiveOption = None,
    sweep: SweepOptions = SweepOptions(),
    trace: Annotated[
        bool, typer.Option("--trace", help="Also trace one operation of each row; `ringscope trace --job` shows it.")
    ] = False,
    start_seconds: Annotated[
        int | None, typer.Option(help="How long each part of the start may take; raise it for busy nodes.")
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
        int | None, typer.Option(help="Seconds in the queue after which the job fails; default: no limit.")
    ] = None,
    max_attempts: Annotated[
        int | None, typer.Option(help="Attempts, including the first, if a node or the service fails.")
    ] = None,
    hold: Annotated[bool, typer.Option("--hold", help="Wait until `ringscope release`.")] = False,
    submission: Submission = Submission(),
    network: ClusterOptions = ClusterOptions(),
) -> None:
    """Submit a job.

    --topology (or --ranks) and the options after it describe the cluster of --transport simulated.

    With --wait or --follow the exit code is the outcome: 0 succeeded, 1 failed, 3 cancelled. 2 is bad input,
    or a server that does not answer.
    """
    base = read_job(file) if file else {}
    is_simulated = (sweep.transport or _transport(base)) == SIMULATED
    cluster = network.fields(ranks) if is_simulated else network.without_channels().fields()
    flags: dict[tuple[str, ...], Any] = {
        **options.flags(),
        ("placement", "ranks"): None if is_simulated else ranks,
        ("placement", "ranks_per_node"): ranks_per_node,
        ("placement", "arrangement"): arrangement,
        ("placement", "exclusive"): exclusive,
        ("placement", "same_rack"): same_rack or None,
        ("placement", "quiet"): quiet or None,
        ("placement", "preflight"): preflight or None,
        ("placement", "gpu_model"): gpu_model,
        ("placement", "min_gpu_memory_bytes"): size("--min-gpu-memory", min_gpu_memory),
        ("placement", "min_memory_bytes"): size("--min-memory", min_memory),
        **script_fields(script, folder, no_watch),
        ("benchmark", "collective"): collective,
        **{("benchmark", name): value for name, value in sweep.benchmark().items()},
        ("benchmark", "channels"): None if is_simulated else network.channels,
        ("benchmark", "trace"): trace or None,
        **{("benchmark", "topology", field): value for field, value in cluster.items()},
        ("start_seconds",): start_seconds,
        ("load_seconds",): load_seconds,
        ("hang_seconds",): hang_seconds,
        ("queue_timeout_seconds",): queue_timeout,
        ("max_attempts",): max_attempts,
        ("hold",): hold or None,
    }
    body = job_body(base, flags)
    if (benchmark := body.get("benchmark")) is not None:
        refuse_unused(context, unused_in_sweep(benchmark))
    submission.send(context, body)


def _transport(base: Mapping[str, Any]) -> object:
    benchmark = base.get("benchmark")
    return benchmark.get("transport") if isinstance(benchmark, dict) else None
