"""`ringscope fit`: the cost model's parameters from measured rows."""

import json
from math import exp, inf
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from ringscope.cli.connection import Url, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, say, say_json, stdout_console
from ringscope.cli.unused_options import all_for, refuse_unused
from ringscope.client import Job
from ringscope.contracts.errors import UserError
from ringscope.contracts.loose_json import read_json
from ringscope.contracts.record import Measurement
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.machine import shared_cores
from ringscope.contracts.words.units import format_size
from ringscope.cost.fitting.fit import Fit, fit
from ringscope.cost.fitting.fit_document import document
from ringscope.cost.fitting.measured_rows import Nodes
from ringscope.cost.fitting.regimes import Regime
from ringscope.cost.fitting.samples import Samples, doubts, of_job, on_transport, read

_WORST = 5


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("fit")(fit_rows)


def fit_rows(
    context: typer.Context,
    files: Annotated[list[Path] | None, typer.Argument(metavar="FILE...", help="JSON of bench or nccl-tests.")] = None,
    job: Annotated[int | None, typer.Option(min=1, help="Rows of this job on the server instead.")] = None,
    algorithm: Annotated[
        str | None, typer.Option(help="Algorithm of rows that name none, such as those of nccl-tests: ring.")
    ] = None,
    ranks_per_node: Annotated[
        int | None,
        typer.Option(min=1, help="Ranks per node if the rows do not contain it; 1: all links are equal."),
    ] = None,
    nics: Annotated[int | None, typer.Option(min=1, help="Network cards of a node; default: one per rank.")] = None,
    regimes: Annotated[int, typer.Option(min=1, max=6, help="Number of ranges of message sizes at most.")] = 4,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, which `ringscope plan --fit` reads.")] = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Fit α, β and γ of the cost model to measured rows, and say how well they describe them.

    Links between nodes and inside nodes have separate parameters; the sizes are split into ranges if the rows require
    it. Rows of libraries have no schedule and are left out.
    """
    if (job is None) == (not files):
        raise UserError("FILE: give either files with results, or a job with --job.")
    if job is None:
        refuse_unused(
            context, all_for(("--url", "--data-dir"), "the files are read here, without a server; leave it out.")
        )
    else:
        refuse_unused(context, {"--algorithm": "the rows of a job name their own; leave it out."})
    if job is not None:
        with connect(url, data_dir) as client:
            asked = client.job(job)
            rows = client.measurements(job)
        samples, caveats = [_of_job(asked, rows)], _caveats(asked, rows)
    else:
        of_files = {path: _of_file(path, algorithm) for path in files or ()}
        samples = list(of_files.values())
        caveats = [f"{path}: {sentence}" for path, one in of_files.items() for sentence in one.doubts]
    together = _together(samples)
    nodes = _nodes(together, ranks_per_node, nics)
    try:
        found = fit(together.rows, regimes, nodes)
    except ValueError as error:
        raise UserError(str(error)) from error
    if as_json:
        say_json(json.dumps(document(found, together.transport, caveats).model_dump(), indent=2))
    else:
        _tell(found, together, caveats)


def _of_file(path: Path, algorithm: str | None) -> Samples:
    try:
        return read(read_json(path.read_text()), algorithm)
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); name a file with results.") from error
    except ValueError as error:
        raise UserError(f"{path}: {error}") from error


def _of_job(job: Job, rows: list[Measurement]) -> Samples:
    try:
        transports = {row.transport for row in rows if row.transport != row.algorithm}
        return of_job(job.spec, len(job.attempts[-1].nodes) if job.attempts else 1, rows, transports)
    except ValueError as error:
        raise UserError(f"--job {job.id}: {error}") from error


def _caveats(job: Job, rows: list[Measurement]) -> list[str]:
    last, summary = job.attempts[-1] if job.attempts else None, job.summary
    crowded, wrong = shared_cores(summary.ranks, summary.cores), sum(row.wrong or 0 for row in rows)
    return doubts(last.reason if last else None, crowded, last.disturbed_by if last else None, wrong)


def _together(samples: list[Samples]) -> Samples:
    transports = sorted({one.transport for one in samples})
    if len(transports) > 1:
        raise UserError(f"FILE: {' and '.join(transports)} move data over different links; give files of one.")
    shapes = {one.nodes for one in samples}
    left_out = {name for one in samples for name in one.left_out}
    rows = tuple(row for one in samples for row in one.rows)
    return Samples(rows, transports[0], shapes.pop() if len(shapes) == 1 else None, tuple(sorted(left_out)))


def _nodes(samples: Samples, ranks_per_node: int | None, nics: int | None) -> Nodes:
    nodes = samples.nodes if ranks_per_node is None else on_transport(Nodes(ranks_per_node), samples.transport)
    if nodes is None:
        raise UserError("--ranks-per-node: the rows do not contain how many ranks each node had; give it.")
    if nics is not None:
        nodes = nodes._replace(nics_per_node=nics)
    try:
        for ranks in {row.ranks for row in samples.rows}:
            nodes.topology(ranks)
    except ValueError as error:
        raise UserError(f"--ranks-per-node, --nics: {error}") from error
    return nodes


def _tell(found: Fit, samples: Samples, caveats: list[str]) -> None:
    algorithms = ", ".join(sorted({row.algorithm for row in samples.rows}))
    ranks = ", ".join(map(str, sorted({row.ranks for row in samples.rows})))
    made_up = ", which are SIMULATED" if samples.transport == SIMULATED else ""
    say(f"{len(found.rows)} rows{made_up}: {algorithms} over {samples.transport}, {ranks} ranks")
    if samples.left_out:
        say(f"left out, because they have no schedule: {', '.join(samples.left_out)}")
    for sentence in caveats:
        say(sentence)
    stdout_console().print(_parameters(found))
    say(f"median error {found.median_error:.1%}, R² {found.r_squared:.4f}; the rows furthest off:")
    stdout_console().print(_worst(found))


def _parameters(found: Fit) -> Table:
    has_two_links = found.nodes.ranks_per_node > 1
    headings = ["α BETWEEN", "1/β BETWEEN", "α INSIDE", "1/β INSIDE"] if has_two_links else ["α", "1/β"]
    table = _table("MESSAGES", *headings, "1/γ")
    for regime in found.regimes:
        table.add_row(_range(regime, len(found.regimes) == 1), *_figures(regime, has_two_links))
    return table


def _figures(regime: Regime, has_two_links: bool) -> list[str]:
    links = [(regime.latency_s, regime.send_s_per_byte)]
    if has_two_links:
        links.append((regime.intra_latency_s or 0.0, regime.intra_send_s_per_byte or 0.0))
    cells = [cell for latency_s, per_byte in links for cell in (f"{latency_s * 1e6:.4g} us", _rate(per_byte))]
    return [*cells, "part of 1/β" if regime.reduce_s_per_byte is None else _rate(regime.reduce_s_per_byte)]


def _rate(seconds_per_byte: float) -> str:
    return f"{1e-9 / seconds_per_byte:.4g} GB/s" if seconds_per_byte else "no time"


def _range(regime: Regime, is_only: bool) -> str:
    if regime.below_bytes == inf:
        return "any size" if is_only else "any other size"
    return f"below {format_size(round(regime.below_bytes))}"


def _worst(found: Fit) -> Table:
    table = _table("ROW", "RANKS", "SIZE", "MEASURED", "MODEL", "OFF BY")
    for row, log_ratio in found.worst(_WORST):
        times = f"{row.p50_us:.4g} us", f"{row.p50_us * exp(log_ratio):.4g} us"
        name = f"{row.collective} {row.algorithm}"
        table.add_row(
            name, str(row.ranks), format_size(row.size_bytes), *times, f"{round(exp(log_ratio) - 1, 4) + 0:+.1%}"
        )
    return table


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(first)
    for heading in others:
        table.add_column(heading, justify="right")
    return table
