"""`ringscope bench`: a sweep on this machine without a server, with nccl-tests' letters."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ringscope.algorithms import AUTO
from ringscope.bench.local import Run, run_local
from ringscope.cli.children import interrupts
from ringscope.cli.cluster import (
    Gamma,
    Intra,
    Latency,
    LinkBetween,
    Nics,
    Oversubscription,
    Shape,
    described,
)
from ringscope.cli.console import (
    DEFAULT_DATA_DIR,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    DataDir,
    complain,
    say,
    stderr_console,
)
from ringscope.cli.letters import LetterCommand, size, sweep_fields
from ringscope.errors import UserError
from ringscope.nccl_tests import render_table, to_json
from ringscope.record import Measurement
from ringscope.spec import COLLECTIVES, SIMULATED, JobSpec, field_errors
from ringscope.tuning_file import path_in, read
from ringscope.units import format_size
from ringscope.verdict import verdict

_TIME = "%Y-%m-%d %H:%M:%S"


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command(cls=LetterCommand)(bench)


def bench(
    collective: Annotated[str, typer.Argument(help=f"{', '.join(COLLECTIVES)}.")] = "all_reduce",
    ranks: Annotated[int | None, typer.Option(help="Processes; default 2.")] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(help="Compared side by side, auto among them; ring,direct,mpi as far as the collective has them."),
    ] = None,
    transport: Annotated[
        str, typer.Option(help="auto, shared_memory, mpi, nccl, cuda_ipc, or simulated: the cost model's times.")
    ] = "auto",
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    min_bytes: Annotated[str, typer.Option("-b", "--min-bytes", help="Smallest size: 8, 64K, 1.5G.")] = "8",
    max_bytes: Annotated[str, typer.Option("-e", "--max-bytes", help="Largest size.")] = "64M",
    step_factor: Annotated[
        int | None,
        typer.Option("-f", "--step-factor", help="From size to size; above 1 it wins over -i.  [default: 2]"),
    ] = None,
    step_bytes: Annotated[
        str | None, typer.Option("-i", "--step-bytes", help="Added from size to size, instead of -f: 64K, 1M.")
    ] = None,
    iterations: Annotated[int, typer.Option("-n", "--iterations", help="Timed, each size.")] = 20,
    warmup: Annotated[int, typer.Option("-w", "--warmup", help="Untimed, each size.")] = 5,
    aggregate: Annotated[
        int, typer.Option("-m", "--aggregate", help="Operations in one timed iteration; times are per operation.")
    ] = 1,
    cycles: Annotated[int, typer.Option("-N", "--cycles", help="How often the whole sweep is repeated.")] = 1,
    blocking: Annotated[
        int,
        typer.Option(
            "-z",
            "--blocking",
            help="All ranks meet after each operation (1), or after each iteration, outside its time (3). "
            "Operations always wait for their result, so that 2 is the same as 0.",
        ),
    ] = 0,
    average: Annotated[
        str, typer.Option("-a", "--average", help="Time of a row: 0 rank0, 1 mean, 2 min or 3 max of the ranks.")
    ] = "mean",
    rotate: Annotated[
        int,
        typer.Option(
            min=0,
            max=1,
            help="1: each operation takes the next piece of memory, as in nccl-tests, so that caches do not hold it.",
        ),
    ] = 0,
    check: Annotated[int, typer.Option("-c", "--check", min=0, max=1, help="Check results.")] = 1,
    dtype: Annotated[str, typer.Option("-d", "--dtype", help="float, half, double, int8 and so on.")] = "float",
    op: Annotated[str, typer.Option("-o", "--op", help="sum, prod, min, max or avg.")] = "sum",
    root: Annotated[int, typer.Option("-r", "--root", help="Of broadcast and reduce.")] = 0,
    per_iteration: Annotated[
        int,
        typer.Option(
            "-I", "--per-iteration", min=0, max=1, help="Add i_min, i_max, i_p99 and i_cv%; all times go into the JSON."
        ),
    ] = 0,
    skip_iterations: Annotated[
        int, typer.Option("-K", "--skip-iterations", help="Leading iterations that -I's columns leave out.")
    ] = 0,
    timestamps: Annotated[
        int, typer.Option("-S", "--timestamps", min=0, max=1, help="Add the time of day (UTC) to each row.")
    ] = 0,
    timeout_seconds: Annotated[
        int, typer.Option("-T", "--timeout", help="Seconds that a rank waits for another one before it names it.")
    ] = 300,
    json_file: Annotated[Path | None, typer.Option("-J", "--json", help="Also write nccl-tests' JSON here.")] = None,
    topology: Shape = None,
    link: LinkBetween = None,
    latency: Latency = None,
    intra: Intra = None,
    nics: Nics = None,
    oversubscription: Oversubscription = None,
    gamma: Gamma = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Measure a collective on this machine; needs no server.

    Algorithm auto chooses for each row, by what `ringscope tune` left in the data directory, else by the cost model.

    With --transport simulated nothing is measured: the table holds the cost model's times for the cluster that
    --topology (or --ranks) and the options after it describe; needs no MPI.

    Exit code 0: every element was right. 1: some were wrong, or a rank failed. 2: bad input, or no MPI.
    """
    benchmark: dict[str, Any] = {
        "collective": collective,
        "transport": transport,
        "device": device,
        "op": op,
        "root": root,
    }
    benchmark |= sweep_fields(
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
    benchmark |= {"algorithms": algorithm.split(",")} if algorithm is not None else {}
    is_simulated = transport == SIMULATED
    ranks_there = ranks if is_simulated else None
    cluster = described(topology, link, latency, intra, nics, oversubscription, gamma, ranks_there)
    if is_simulated or cluster:
        benchmark["topology"] = cluster
    placement = {} if is_simulated or ranks is None else {"ranks": ranks}
    job = validated({"benchmark": benchmark, "placement": placement})
    tuning = path_in(data_dir)
    if AUTO in job.benchmark.algorithms:
        read(tuning)  # that it is damaged is better told here than by a rank
    if json_file is not None:
        _write(json_file, "")
    run, started = Run(), datetime.now(UTC)
    try:
        with interrupts():
            watch(job, run, tuning)
    except KeyboardInterrupt:
        complain("Stopped.")
        raise typer.Exit(EXIT_INTERRUPTED) from None
    finally:
        _tell(job, run, bool(timestamps))
    if json_file is not None:
        times = started.strftime(_TIME), datetime.now(UTC).strftime(_TIME)
        errors = [run.reason] if run.reason else []
        document = to_json(
            job.benchmark, run.measurements, run.hellos, sys.argv, *times, environments=run.environments, errors=errors
        )
        _write(json_file, json.dumps(document, indent=2) + "\n")
    if run.reason:
        complain(run.reason)
    raise typer.Exit(EXIT_FAILED if run.reason else 0)


def validated(body: dict[str, Any]) -> JobSpec:
    """The job; UserError with every sentence about what is wrong."""
    try:
        return JobSpec.model_validate(body)
    except ValidationError as error:
        raise UserError(*(found.detail for found in field_errors(error))) from error


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
        bar = progress.add_task("starting", total=job.benchmark.measurement_count())
        for record in run_local(job, run, tuning):
            if isinstance(record, Measurement):
                description = f"{record.algorithm} {format_size(record.size_bytes)}"
                progress.update(bar, description=description, advance=1)


def _tell(job: JobSpec, run: Run, timestamps: bool) -> None:
    if run.measurements:
        say(render_table(run.measurements, job.benchmark, run.hellos, timestamps))
        say()
        say(verdict(run.measurements, job.benchmark.collective))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as error:
        raise UserError(f"--json: {path} cannot be written ({error.strerror}); choose another file.") from error
