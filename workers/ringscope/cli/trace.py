"""`ringscope trace`: an algorithm step by step, with numbers, or as a picture in time."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ringscope.algorithms import COLLECTIVES, SCHEDULES, build
from ringscope.cli.cluster import Shape, cluster, described
from ringscope.cli.console import say
from ringscope.cost import simulate
from ringscope.errors import UserError
from ringscope.perfetto import to_perfetto
from ringscope.schedule import Schedule
from ringscope.topology import Link, Topology
from ringscope.trace import TraceStep, trace

MAX_RANKS = 64
_DEFAULT_RANKS = 3
_ELEMENT_BYTES = 4
_LINKS = {"link": "1GB/s", "latency_us": 1.0, "reduce_gb_per_s": 10.0}
_INSIDE = Link(2e-7, 1e10)


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("trace")(trace_algorithm)


def trace_algorithm(
    algorithm: Annotated[str, typer.Argument(help=f"Of all_reduce: {', '.join(SCHEDULES)}.")],
    collective: Annotated[str, typer.Option(help=f"{', '.join(COLLECTIVES)}.")] = "all_reduce",
    ranks: Annotated[
        int | None, typer.Option(min=1, max=MAX_RANKS, help="Ranks; default: those of the topology, or 3.")
    ] = None,
    topology: Shape = None,
    root: Annotated[int, typer.Option("-r", "--root", min=0, help="Of broadcast and reduce.")] = 0,
    values: Annotated[str | None, typer.Option(help='A row of numbers for each rank: "2,4,6;1,2,3;4,8,12".')] = None,
    perfetto: Annotated[Path | None, typer.Option(help="Also write a trace for ui.perfetto.dev here.")] = None,
) -> None:
    """Print every step of a collective: who sends what to whom, and what each rank holds then.

    Without --values rank r holds one number per rank, all r+1. Times in the --perfetto file are those of links with
    1 GB/s and 1 us between nodes and 10 GB/s and 0.2 us inside, and of adding at 10 GB/s.
    """
    known = COLLECTIVES.get(collective)
    if known is None:
        raise UserError(f"--collective: unknown collective {collective!r}; choose one of {', '.join(COLLECTIVES)}.")
    if algorithm not in known:
        raise UserError(f"ALGORITHM: unknown algorithm {algorithm!r}; choose one of {', '.join(known)}.")
    where = _LINKS | described(topology, ranks=_DEFAULT_RANKS if topology is None and ranks is None else ranks)
    shape = cluster(where).topology
    if shape.ranks > MAX_RANKS:
        raise UserError(f"--topology: {shape.ranks} ranks are too many to read; give {MAX_RANKS} or fewer.")
    if root >= shape.ranks:
        raise UserError(f"--root: {root} is not one of {shape.ranks} ranks; give 0 to {shape.ranks - 1}.")
    rows = _rows(values) if values is not None else [[float(rank + 1)] * shape.ranks for rank in range(shape.ranks)]
    try:
        schedule = build(algorithm, shape.ranks, len(rows[0]), shape.nodes, collective, root)
        steps = list(trace(schedule, rows))
    except ValueError as error:
        raise UserError(f"--{error}") from error
    if perfetto is not None:
        _export(perfetto, algorithm, schedule, shape)
    for rank, row in enumerate(rows):
        say(f"rank {rank} starts with {_numbers(row)}")
    for number, step in enumerate(steps):
        _tell(number, step)
    for rank, row in enumerate(steps[-1].held if steps else rows):
        say(f"rank {rank} ends with {_result(schedule, rank, row)}")


def _tell(number: int, step: TraceStep) -> None:
    say()
    say(f"step {number}: {step.phase}")
    for message, carried in step.moves:
        verb = "adds" if message.reduce else "keeps"
        place = f"[{message.target.offset}]" if len(carried) == 1 else _range(message.target)
        say(f"  rank {message.src} -> rank {message.dst}: {_numbers(carried)}, which {verb} it at {place}")
    for rank, row in enumerate(step.held):
        say(f"  rank {rank} holds {_numbers(row)}")


def _result(schedule: Schedule, rank: int, row: list[float]) -> str:
    """What belongs to the rank's result; what lies elsewhere is left over from the way."""
    parts = [row[c.offset : c.offset + c.length] for i, c in enumerate(schedule.chunks) if schedule.is_output(rank, i)]
    return _numbers([number for part in parts for number in part]) or "nothing"


def _range(chunk: tuple[int, int]) -> str:
    return f"[{chunk[0]}:{chunk[0] + chunk[1]}]"


def _numbers(row: list[float]) -> str:
    return ",".join(f"{number:.12g}" for number in row)


def _rows(text: str) -> list[list[float]]:
    try:
        return [[float(number) for number in row.split(",")] for row in text.split(";")]
    except ValueError as error:
        raise UserError(f'--values: {text!r} is not rows of numbers; write for example "2,4,6;1,2,3".') from error


def _export(path: Path, algorithm: str, schedule: Schedule, shape: Topology) -> None:
    timeline = simulate(schedule, _ELEMENT_BYTES, replace(shape, intra=_INSIDE))
    title = f"{algorithm}, {schedule.ranks} ranks, {schedule.length * _ELEMENT_BYTES} bytes"
    try:
        path.write_text(json.dumps(to_perfetto(timeline, title)))
    except OSError as error:
        raise UserError(f"--perfetto: {path} cannot be written ({error.strerror}); choose another file.") from error
