"""`ringscope tune`: measure which algorithms are fastest on this machine, for ``auto``."""

from typing import Annotated

import typer
from rich.table import Table as Grid

from ringscope.bench.nccl_tests.dtypes import dtype_named
from ringscope.choice.chooser import Chooser, candidates
from ringscope.choice.situation import Situation
from ringscope.choice.tuning_file import path_in, read, write
from ringscope.cli.commands.bench import on_this_machine, validated, watch
from ringscope.cli.console import (
    DEFAULT_DATA_DIR,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    DataDir,
    complain,
    say,
    say_json,
    stdout_console,
)
from ringscope.cli.processes.children import interrupts
from ringscope.cli.short_flags import size
from ringscope.cli.unused_options import all_for, refuse_unused
from ringscope.contracts.errors import UserError
from ringscope.contracts.tuning import Table, ranks_of_nodes_in, table_of
from ringscope.contracts.words.collectives import COLLECTIVES, VENDORS
from ringscope.contracts.words.units import format_size, plural
from ringscope.engine.cores import own_cores
from ringscope.rank.load import MOST_OTHER_SHARE, LoadMeter
from ringscope.rank.local import Run

_OF_A_MEASUREMENT = (
    *("--collective", "--ranks", "--transport", "--min-bytes", "--max-bytes", "--step-factor"),
    *("--iterations", "--warmup", "--dtype", "--keep"),
)


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(tune)


def tune(
    context: typer.Context,
    collective: Annotated[str, typer.Option(help=f"One or more of {', '.join(COLLECTIVES)}.")] = "all_reduce",
    ranks: Annotated[
        str | None, typer.Option(help="One or more numbers of processes; default: 2, 4 … up to the cores.")
    ] = None,
    transport: Annotated[str, typer.Option(help="auto, shared_memory, mpi, nccl or cuda_ipc.")] = "auto",
    min_bytes: Annotated[str, typer.Option("-b", "--min-bytes", help="Smallest size: 8, 64K, 1.5G.")] = "8",
    max_bytes: Annotated[str, typer.Option("-e", "--max-bytes", help="Largest size.")] = "32M",
    step_factor: Annotated[int, typer.Option("-f", "--step-factor", help="Factor from one size to the next.")] = 4,
    iterations: Annotated[int, typer.Option("-n", "--iterations", help="Timed iterations of each size.")] = 20,
    warmup: Annotated[int, typer.Option("-w", "--warmup", help="Untimed iterations of each size.")] = 3,
    dtype: Annotated[str, typer.Option("-d", "--dtype", help="float, half, double, int8 and so on.")] = "float",
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep times even if other load used more than a tenth of the processors.")
    ] = False,
    show: Annotated[bool, typer.Option("--show", help="Measure nothing; print the known times.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the known times as JSON.")] = False,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Measure which algorithm is fastest on this machine; algorithm auto uses the result.

    The times go to tuning.json in the data directory and replace older ones of the same size and situation. Run it on
    an idle machine: times that other load disturbed are not kept, and the exit code is then 1.
    """
    if show:
        refuse_unused(context, all_for(_OF_A_MEASUREMENT, "--show measures nothing; leave one of the two out."))
    path = path_in(data_dir)
    known, is_whole = read(path) if show else on_this_machine(path), True
    if not show:
        for name in collective.split(","):
            for number in _numbers(ranks):
                meter = LoadMeter()
                newer = _measured(
                    {
                        "collective": name,
                        "algorithms": _algorithms(name, transport),
                        "transport": transport,
                        "min_bytes": size("-b", min_bytes),
                        "max_bytes": size("-e", max_bytes),
                        "step_factor": step_factor,
                        "iterations": iterations,
                        "warmup": warmup,
                        "dtype": dtype_named(dtype),
                        "check": False,
                    },
                    number,
                )
                if keep or _is_quiet(meter, f"{name} of {plural(number, 'rank')}"):
                    known = known.updated(newer)
                    write(path, known)
                else:
                    is_whole = False
    if as_json:
        say_json(known.model_dump_json(indent=2))
    elif known.curves:
        stdout_console().print(_grid(known))
    if not as_json:
        say(f"{path} holds {known.row_count} times." if known.curves else f"{path} has no measurements yet.")
    if not is_whole:
        raise typer.Exit(EXIT_FAILED)


def _is_quiet(meter: LoadMeter, measured: str) -> bool:
    """Return whether there was hardly any other load; print a warning otherwise, because ``auto`` keeps these times."""
    if (share := meter.other_share()) <= MOST_OTHER_SHARE:
        return True
    complain(
        f"Other load used {100 * share:.0f} % of the processors while {measured} was measured, so these times are "
        "not kept; run it again on an idle machine, or with --keep."
    )
    return False


def _measured(benchmark: dict[str, object], ranks: int) -> Table:
    job, run = validated({"benchmark": benchmark, "placement": {"ranks": ranks}}), Run()
    try:
        with interrupts():
            watch(job, run)
    except KeyboardInterrupt:
        complain("Stopped; earlier measurements are kept.")
        raise typer.Exit(EXIT_INTERRUPTED) from None
    if run.reason:
        complain(run.reason)
        raise typer.Exit(EXIT_FAILED)
    return table_of(run.measurements, [ranks])


def _algorithms(collective: str, transport: str) -> tuple[str, ...]:
    """Return all algorithms that auto can choose; ring for an unknown collective, which a later check refuses."""
    if collective not in COLLECTIVES:
        return ("ring",)
    return candidates(collective, "shared_memory" if transport == "auto" else transport)


def _numbers(text: str | None) -> list[int]:
    """Return the numbers of ranks: as given, else the powers of two with a core for each rank, at least two."""
    if text is None:
        return [number for number in (2, 4, 8, 16, 32) if number <= max(2, own_cores().at_once)]
    try:
        return [int(number) for number in text.split(",")]
    except ValueError as error:
        raise UserError(f"--ranks: {text!r} is not numbers; write for example 2,4.") from error


def _grid(table: Table) -> Grid:
    """List the choice of auto at every measured size, and its reason."""
    grid = Grid("COLLECTIVE", "NUMBERS", "NODES X RANKS", "OVER", "BUFFERS", "SIZE", "AUTO TAKES", "BECAUSE", box=None)
    chooser = Chooser(table)
    sizes: dict[Situation, set[int]] = {}
    for curve in table.curves:
        if curve.algorithm not in VENDORS:  # a library's times apply to every transport
            dtype = curve.arithmetic if curve.arithmetic.endswith("float16") else "float32"
            nodes = ranks_of_nodes_in(curve.shape)
            situation = Situation(curve.collective, dtype, nodes, curve.transport, curve.in_place, curve.is_crowded)
            sizes.setdefault(situation, set()).update(curve.times_us)
    for situation in sizes:
        for size_bytes in sorted(sizes[situation]):
            grid.add_row(
                situation.collective,
                situation.key.arithmetic,
                situation.key.shape,
                situation.transport,
                "in place" if situation.in_place else "out of place",
                format_size(size_bytes),
                *chooser.choose(situation, size_bytes),
            )
    return grid
