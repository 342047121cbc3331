"""`ringscope trace --job`: every step of a job's ranks in one operation, compared with the cost model."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from ringscope.cli.connection import connect
from ringscope.cli.console import say, say_json, stdout_console
from ringscope.cli.formatting import table
from ringscope.client import JobTrace
from ringscope.contracts.errors import UserError
from ringscope.contracts.operation_trace import TracedHop, TracedRank, TraceRow, TraceStep
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.units import format_duration, format_size
from ringscope.cost.traces.operation_perfetto import traced_to_perfetto

_SLOWEST = 5
_ROW_HEADINGS = ("RANK", "STEP", "TRANSFER", "CHUNKS", "SIZE", "WAITED", "TOOK", "MODEL")
_HOP_HEADINGS = ("HOP", "MESSAGES", "SIZE", "ON THE WIRE", "VS QUICK HOPS", "")


def show_job_trace(
    job_id: int,
    algorithm: str | None,
    size_bytes: int | None,
    in_place: bool | None,
    perfetto: Path | None,
    as_json: bool,
    url: str | None,
    data_dir: Path,
) -> None:
    """Print one operation of the job, the largest if no size is named; ``perfetto`` is a file to write it to."""
    with connect(url, data_dir) as client:
        trace = client.trace(job_id, size_bytes, algorithm, in_place)
        others = client.traces(job_id)
    if perfetto is not None:
        write_perfetto(perfetto, json.dumps(traced_to_perfetto([trace], f"job {job_id}")))
    if as_json:
        say_json(trace.model_dump_json(indent=2))
        return
    say(_headline(job_id, trace))
    stdout_console().print(table(["STEP", "PHASE", "BEGINS", "ENDS", "MODEL ENDS"], map(_step_cells, trace.steps)))
    if trace.prediction is not None:
        say(f"model: {_time(trace.prediction.duration_ns)}; its parameters: {trace.prediction.parameters}")
    say("The transfers that took longest once both ends were ready:")
    slowest = sorted(_told_once(trace.rows), key=_moving_ns, reverse=True)[:_SLOWEST]
    stdout_console().print(table(_ROW_HEADINGS, map(_row_cells, slowest)))
    if trace.hops:
        say("The hops between nodes, longest on the wire first:")
        hops = sorted(trace.hops, key=lambda hop: hop.times_longer or 0.0, reverse=True)[:_SLOWEST]
        stdout_console().print(table(_HOP_HEADINGS, map(_hop_cells, hops)))
    for sentence in trace.slow_links:
        say(sentence)
    for line in _clock_lines(trace.ranks):
        say(line)
    if len(others) > 1:
        sizes = ", ".join(map(format_size, sorted({each.size_bytes for each in others})))
        say(f"The job has {len(others)} traces; choose by ALGORITHM, --size ({sizes}) and --in-place 0 or 1.")


def write_perfetto(path: Path, text: str) -> None:
    """Write the file; UserError if that fails."""
    try:
        path.write_text(text)
    except OSError as error:
        raise UserError(f"--perfetto: {path} cannot be written ({error.strerror}); choose another file.") from error


def _headline(job_id: int, trace: JobTrace) -> str:
    place = "in place" if trace.in_place else "out of place"
    simulated = "SIMULATED " if trace.transport == SIMULATED else ""
    return (
        f"Job {job_id}: {simulated}{trace.collective} {trace.executed} of {format_size(trace.size_bytes)} {place} over "
        f"{trace.transport}, {len(trace.ranks)} ranks: {_time(trace.duration_ns)}"
    )


def _step_cells(step: TraceStep) -> list[object]:
    return [step.step, step.phase, _time(step.start_ns), _time(step.end_ns), _time(step.predicted_end_ns)]


def _told_once(rows: Sequence[TraceRow]) -> list[TraceRow]:
    """Return each transfer once: the receiver's row, or the sender's if the receiver recorded none."""
    received = {(row.step, row.peer, row.rank, tuple(row.chunks)) for row in rows if not row.is_send}
    return [row for row in rows if not row.is_send or (row.step, row.rank, row.peer, tuple(row.chunks)) not in received]


def _hop_cells(hop: TracedHop) -> list[object]:
    times = "-" if hop.times_longer is None else f"{hop.times_longer:.1f}x"
    size = format_size(hop.bytes)
    return [f"{hop.src} to {hop.dst}", hop.messages, size, _time(hop.wire_ns), times, "slow" if hop.is_slow else ""]


def _row_cells(row: TraceRow) -> list[object]:
    ends = f"to {row.peer}" if row.is_send else f"from {row.peer}"
    chunks = ",".join(map(str, row.chunks))
    waited = max(0, _moves_at_ns(row) - row.start_ns)
    return [
        row.rank, row.step, ends, chunks, format_size(row.bytes),
        _time(waited), _time(_moving_ns(row)), _time(row.predicted_ns),
    ]  # fmt: skip


def _moves_at_ns(row: TraceRow) -> int:
    """Return the time at which the bytes could begin to move; before it, this end waited for the other."""
    if row.wire_ns is not None and row.recv_ns is not None:
        return row.recv_ns - row.wire_ns
    return row.start_ns if row.send_ns is None else row.send_ns


def _moving_ns(row: TraceRow) -> int:
    return row.done_ns - _moves_at_ns(row)


def _clock_lines(ranks: Iterable[TracedRank]) -> Iterable[str]:
    """Say how precisely times of different nodes compare, and how many transfers are missing."""
    errors = {rank.node: rank.clock_error_ns for rank in ranks}
    if len(errors) > 1:
        told = ", ".join(f"{node} {'not known' if error is None else _time(error)}" for node, error in errors.items())
        yield f"Times of different nodes are accurate within their clocks' errors: {told}."
    if left_out := sum(rank.left_out for rank in ranks):
        yield f"{left_out} later transfers were left out because there were too many."


def _time(time_ns: int | None) -> str:
    return "-" if time_ns is None else format_duration(time_ns / 1e9)
