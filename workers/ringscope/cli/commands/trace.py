"""`ringscope trace`: an algorithm step by step, with numbers, or on a timeline."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from ringscope.cli.cluster import ClusterOptions, Shape, cluster
from ringscope.cli.connection import Url
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, say
from ringscope.cli.job_trace import show_job_trace, write_perfetto
from ringscope.cli.short_flags import size
from ringscope.cli.unused_options import all_for, refuse_unused
from ringscope.contracts.errors import UserError
from ringscope.contracts.words.collectives import ROOTED, SCHEDULED
from ringscope.contracts.words.topology import Topology
from ringscope.contracts.words.units import plural
from ringscope.cost.traces.perfetto import to_perfetto
from ringscope.cost.worked_example import LINKS, MAX_RANKS, USUAL_RANKS, example_timeline, result, usual_values
from ringscope.schedules.algorithms import SCHEDULES, build, channels_of
from ringscope.schedules.algorithms.ring import reversed_ring
from ringscope.schedules.schedule import Schedule
from ringscope.schedules.trace import TraceStep, trace

_ELEMENT_BYTES = 4
_OF_ALGORITHM = ("--collective", "--ranks", "--topology", "--channels", "--root", "--values", "--reverse")
_OF_JOB = ("--size", "--in-place", "--json", "--url", "--data-dir")


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("trace")(trace_algorithm)


def trace_algorithm(
    context: typer.Context,
    algorithm: Annotated[
        str | None,
        typer.Argument(
            help=f"Algorithm of all_reduce: {', '.join(SCHEDULES)}. With --job: one of the job's algorithms."
        ),
    ] = None,
    collective: Annotated[str, typer.Option(help=f"{', '.join(SCHEDULED)}.")] = "all_reduce",
    ranks: Annotated[
        int | None, typer.Option(min=1, max=MAX_RANKS, help="Ranks; default: the ranks of the topology, or 3.")
    ] = None,
    topology: Shape = None,
    channels: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Channels of rings and trees; each leaves a node through a different rank. Default: one per rank of "
            "a node.",
        ),
    ] = None,
    root: Annotated[int, typer.Option("-r", "--root", min=0, help="Root rank of broadcast and reduce.")] = 0,
    values: Annotated[str | None, typer.Option(help='A row of numbers for each rank: "2,4,6;1,2,3;4,8,12".')] = None,
    reverse: Annotated[
        bool, typer.Option("--reverse", help="Ring in the other direction: rank 2 to 1, 1 to 0, 0 to 2.")
    ] = False,
    perfetto: Annotated[Path | None, typer.Option(help="Also write a trace for ui.perfetto.dev here.")] = None,
    job: Annotated[int | None, typer.Option(min=1, help="Show what the ranks of this traced job did.")] = None,
    size_of_job: Annotated[
        str | None, typer.Option("--size", help="Message size of the job to show: 1M; default: the largest.")
    ] = None,
    in_place: Annotated[
        int | None,
        typer.Option(min=0, max=1, help="Operation of the job to show: 1 in place, 0 out of place."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the job's trace as JSON.")] = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Print every step of a collective: the values that each rank sends and receives, and those that it then holds.

    With --job: the measured times of a job's ranks, next to those of the cost model.

    Without --values rank r holds one number per rank and channel, all r+1. Times in the --perfetto file are those of
    links with 1 GB/s and 1 us between nodes and 10 GB/s and 0.2 us inside, and of adding at 10 GB/s.
    """
    if job is not None:
        refuse_unused(
            context,
            all_for(_OF_ALGORITHM, "the trace of a job already determines this; leave it out, or leave --job out."),
        )
        chosen = None if in_place is None else bool(in_place)
        show_job_trace(job, algorithm, size("--size", size_of_job), chosen, perfetto, as_json, url, data_dir)
        return
    refuse_unused(context, all_for(_OF_JOB, "it is only for the trace of a job; add --job N, or leave it out."))
    if collective not in ROOTED:
        refuse_unused(context, {"--root": f"only {' and '.join(sorted(ROOTED))} have a root; leave it out."})
    if algorithm is None:
        raise UserError(f"ALGORITHM: give one of {', '.join(SCHEDULES)}, or a job with --job.")
    known = SCHEDULED.get(collective)
    if known is None:
        raise UserError(f"--collective: unknown collective {collective!r}; choose one of {', '.join(SCHEDULED)}.")
    if algorithm not in known:
        raise UserError(f"ALGORITHM: unknown algorithm {algorithm!r}; choose one of {', '.join(known)}.")
    counted = USUAL_RANKS if topology is None and ranks is None else ranks
    shape = cluster(LINKS | ClusterOptions(topology=topology, channels=channels).fields(counted)).topology
    if shape.ranks > MAX_RANKS:
        raise UserError(f"--topology: {shape.ranks} ranks are too many to read; give {MAX_RANKS} or fewer.")
    if root >= shape.ranks:
        raise UserError(f"--root: {root} is not one of {shape.ranks} ranks; give 0 to {shape.ranks - 1}.")
    several = channels_of(collective, algorithm, shape.rails)
    if reverse and (collective, algorithm, several) != ("all_reduce", "ring", 1):
        raise UserError("--reverse: only the ring of all_reduce with one channel supports it; leave it out.")
    rows = _rows(values) if values is not None else usual_values(shape.ranks, several)
    try:
        count = len(rows[0])
        schedule = (
            reversed_ring(shape.ranks, count)
            if reverse
            else build(algorithm, shape.ranks, count, shape.nodes, collective, root, several)
        )
        steps = list(trace(schedule, rows))
    except ValueError as error:
        raise UserError(f"--{error}") from error
    if perfetto is not None:
        _export(perfetto, f"{algorithm}{_in_channels(several)}", schedule, shape)
    if several > 1:
        say(f"{algorithm}{_in_channels(several)}, each leaving a node through a different rank")
    for rank, row in enumerate(rows):
        say(f"rank {rank} starts with {_numbers(row)}")
    for number, step in enumerate(steps):
        _tell(number, step)
    if steps:
        say()
        for sentence in _busy(steps, shape.ranks):
            say(sentence)
    for rank, row in enumerate(steps[-1].held if steps else rows):
        say(f"rank {rank} ends with {_numbers(result(schedule, rank, row)) or 'nothing'}")


def _tell(number: int, step: TraceStep) -> None:
    say()
    say(f"step {number}: {step.phase}")
    for message, carried in step.moves:
        verb = "adds" if message.reduce else "keeps"
        place = f"[{message.target.offset}]" if len(carried) == 1 else _range(message.target)
        say(f"  rank {message.src} -> rank {message.dst}: {_numbers(carried)}, which {verb} it at {place}")
    for rank, row in enumerate(step.held):
        say(f"  rank {rank} holds {_numbers(row)}")


def _busy(steps: Sequence[TraceStep], ranks: int) -> Iterator[str]:
    """Yield in how many steps each rank sends or receives, the busiest first; in the other steps its link is idle."""
    busy = Counter(
        rank for step in steps for rank in {end for message, _ in step.moves for end in (message.src, message.dst)}
    )
    by_count: dict[int, list[int]] = {}
    for rank in range(ranks):
        by_count.setdefault(busy[rank], []).append(rank)
    if [*by_count] == [len(steps)]:
        yield "every rank sends or receives in each step"
        return
    for count, found in sorted(by_count.items(), reverse=True):
        who = f"rank {found[0]} sends or receives" if len(found) == 1 else f"ranks {_ranks(found)} send or receive"
        waits = "" if count == len(steps) else f" and {'waits' if len(found) == 1 else 'wait'} in the others"
        yield f"{who} in {count} of {plural(len(steps), 'step')}{waits}"


def _ranks(ranks: Sequence[int]) -> str:
    """ "1 to 3" or "1, 3"."""
    is_range = len(ranks) > 2 and ranks[-1] - ranks[0] == len(ranks) - 1
    return f"{ranks[0]} to {ranks[-1]}" if is_range else ", ".join(map(str, ranks))


def _in_channels(channels: int) -> str:
    return f" in {channels} channels" if channels > 1 else ""


def _range(chunk: tuple[int, int]) -> str:
    return f"[{chunk[0]}:{chunk[0] + chunk[1]}]"


def _numbers(row: list[float]) -> str:
    return ",".join(f"{number:.12g}" for number in row)


def _rows(text: str) -> list[list[float]]:
    try:
        return [[float(number) for number in row.split(",")] for row in text.split(";")]
    except ValueError as error:
        raise UserError(f'--values: {text!r} is not rows of numbers; write for example "2,4,6;1,2,3".') from error


def _export(path: Path, what: str, schedule: Schedule, shape: Topology) -> None:
    timeline = example_timeline(schedule, shape, _ELEMENT_BYTES)
    title = f"{what}, {schedule.ranks} ranks, {schedule.length * _ELEMENT_BYTES} bytes"
    write_perfetto(path, json.dumps(to_perfetto(timeline, title)))
