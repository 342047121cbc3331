"""`ringscope bench`: a sweep on this machine without a server, with nccl-tests' letters."""

import json
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ringscope.bench.nccl_tests.document import to_json
from ringscope.bench.nccl_tests.table import render_table
from ringscope.choice.tuning_file import path_in, read, write
from ringscope.cli.cluster import ClusterOptions
from ringscope.cli.console import (
    DEFAULT_DATA_DIR,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    DataDir,
    complain,
    say,
    stderr_console,
)
from ringscope.cli.option_groups import unfolded
from ringscope.cli.processes.children import interrupts
from ringscope.cli.results.judged import say_judgement
from ringscope.cli.runnable import without_missing
from ringscope.cli.short_flags import LetterCommand
from ringscope.cli.sweep_options import SweepOptions
from ringscope.cli.unused_options import all_for, refuse_unused, unused_in_sweep
from ringscope.contracts.errors import UserError
from ringscope.contracts.findings import field_errors
from ringscope.contracts.job import JobSpec
from ringscope.contracts.record import Measurement
from ringscope.contracts.tuning import Table
from ringscope.contracts.words.collectives import AUTO, COLLECTIVES
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.units import format_size
from ringscope.cost.traces.operation_perfetto import traced_to_perfetto
from ringscope.cost.traces.operation_trace import Clock, operations
from ringscope.judging.comparison import SweepComparison
from ringscope.judging.verdict import about_ratio, explanation, verdict
from ringscope.rank.local import Run, run_local
from ringscope.rank.machine import known_machine

_SWEEP = SweepOptions(
    transport="auto",
    device="auto",
    min_bytes="8",
    max_bytes="64M",
    iterations=20,
    warmup=5,
    aggregate=1,
    cycles=1,
    blocking=0,
    average="mean",
    rotate=0,
    per_iteration=0,
    skip_iterations=0,
    timeout_seconds=300,
    check=1,
    dtype="float",
    op="sum",
    root=0,
)
_TIME = "%Y-%m-%d %H:%M:%S"


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command(cls=LetterCommand)(unfolded(bench))


def bench(
    context: typer.Context,
    collective: Annotated[str, typer.Argument(help=f"{', '.join(COLLECTIVES)}.")] = "all_reduce",
    ranks: Annotated[int | None, typer.Option(help="Processes; default 2.")] = None,
    skip_missing: Annotated[
        bool, typer.Option("--skip-missing", help="Leave out algorithms that cannot run here, and measure the others.")
    ] = False,
    sweep: SweepOptions = _SWEEP,
    timestamps: Annotated[
        int, typer.Option("-S", "--timestamps", min=0, max=1, help="Add the time of day (UTC) to each row.")
    ] = 0,
    json_file: Annotated[Path | None, typer.Option("-J", "--json", help="Also write nccl-tests' JSON here.")] = None,
    trace_file: Annotated[
        Path | None,
        typer.Option(
            "--trace",
            help="Trace one more operation of each row, transfer by transfer, and write it for ui.perfetto.dev.",
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print by which references the bandwidth is judged.")
    ] = False,
    network: ClusterOptions = ClusterOptions(),
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Measure a collective on this machine; needs no server.

    Algorithm auto chooses for each row: by the measurements of `ringscope tune` in the data directory, else by the cost
    model.

    With --transport simulated nothing is measured: the table holds the cost model's times for the cluster that
    --topology (or --ranks) and the options after it describe; needs no MPI.

    On GPUs the last line says whether the bandwidth is what was to be expected (docs/expected.md).

    Exit code 0: every element was right. 1: some were wrong, or a rank failed. 2: bad input, or no MPI.
    """
    is_simulated = sweep.transport == SIMULATED
    benchmark = sweep.benchmark() | {"collective": collective, "trace": trace_file is not None}
    if network.channels is not None and not is_simulated:
        benchmark["channels"] = network.channels
    refuse_unused(context, unused_in_sweep(benchmark))
    if is_simulated:
        refuse_unused(
            context, all_for(["--data-dir"], "a simulated sweep reads no measurements of this machine; leave it out.")
        )
        refuse_unused(context, all_for(["--explain"], "nothing is measured that could be judged; leave it out."))
    if not sweep.algorithm:
        refuse_unused(
            context,
            all_for(
                ["--skip-missing"], "it leaves out some algorithms of --algorithm; add --algorithm, or leave it out."
            ),
        )
    cluster = network.fields(ranks) if is_simulated else network.without_channels().fields()
    if is_simulated or cluster:
        benchmark["topology"] = cluster
    body = {"benchmark": benchmark, "placement": {} if is_simulated or ranks is None else {"ranks": ranks}}
    if skip_missing:
        benchmark["algorithms"] = without_missing(benchmark["algorithms"], body, validated)
    job = validated(body)
    if network.channels not in (None, 1) and not is_simulated and (sentence := job.sweep.goes_one_way):
        raise UserError(f"--channels: {sentence}")
    tuning = path_in(data_dir)
    if AUTO in job.sweep.algorithms and not is_simulated:
        on_this_machine(tuning)  # report a damaged file here rather than in a rank
    for option, file in (("--json", json_file), ("--trace", trace_file)):
        if file is not None:
            _write(option, file, "")
    run, started = Run(), datetime.now(UTC)
    try:
        with interrupts():
            watch(job, run, tuning)
    except KeyboardInterrupt:
        complain("Stopped.")
        raise typer.Exit(EXIT_INTERRUPTED) from None
    finally:
        _tell(job, run, bool(timestamps))
        if run.measurements and not is_simulated:
            say_judgement(job, run, data_dir, explain)
    if json_file is not None:
        times = started.strftime(_TIME), datetime.now(UTC).strftime(_TIME)
        errors = [run.reason] if run.reason else []
        document = to_json(
            job.sweep, run.measurements, run.hellos, sys.argv, *times, environments=run.environments, errors=errors
        )
        _write("--json", json_file, json.dumps(document, indent=2) + "\n")
    if trace_file is not None:
        _write("--trace", trace_file, json.dumps(_perfetto(job, run)) + "\n")
    if run.reason:
        complain(run.reason)
    raise typer.Exit(EXIT_FAILED if run.reason else 0)


def validated(body: dict[str, Any]) -> JobSpec:
    """Return the job; UserError with a sentence for each error."""
    try:
        return JobSpec.model_validate(body)
    except ValidationError as error:
        raise UserError(*(found.detail for found in field_errors(error))) from error


def on_this_machine(path: Path) -> Table:
    """Return the file's table with this machine's speed. UserError if it cannot be parsed."""
    known, machine = read(path), known_machine()
    if known.machine != machine:
        known = known.on(machine)
        with suppress(UserError):  # the model then has no measurements
            write(path, known)
    return known


def watch(job: JobSpec, run: Run, tuning: Path | None = None) -> None:
    """Run the job on this machine, with a bar on a terminal."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("rows"),
        TimeElapsedColumn(),
    )
    console = stderr_console()
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        bar = progress.add_task("starting", total=job.sweep.measurement_count())
        for record in run_local(job, run, tuning):
            if isinstance(record, Measurement):
                description = f"{record.algorithm} {format_size(record.size_bytes)}"
                progress.update(bar, description=description, advance=1)


def _tell(job: JobSpec, run: Run, timestamps: bool) -> None:
    if run.measurements:
        say(render_table(run.measurements, job.sweep, run.hellos, timestamps))
        say()
        comparison = SweepComparison.of(run.measurements)
        if sentence := explanation(comparison):
            say(f"# {sentence}")
        say(found := verdict(comparison))
        if note := about_ratio(found):
            say(note)


def _perfetto(job: JobSpec, run: Run) -> dict[str, Any]:
    """Return the clocks: all ranks share this machine's."""
    hosts = {hello.rank: hello.host for hello in run.hellos}
    clocks = {rank: Clock(hosts.get(rank, SIMULATED)) for rank in range(job.ranks)}
    return traced_to_perfetto(operations(run.traces, clocks), f"ringscope bench {job.sweep.collective}")


def _write(option: str, path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as error:
        raise UserError(f"{option}: {path} cannot be written ({error.strerror}); choose another file.") from error
