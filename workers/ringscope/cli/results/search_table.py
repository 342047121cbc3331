"""The candidates of a strategy search as a table."""

from collections.abc import Iterable

from rich.table import Table

from ringscope.cli.console import say, stdout_console
from ringscope.cli.formatting import table
from ringscope.client import CandidateResult, Search
from ringscope.contracts.words.units import format_size, plural

_HEADINGS = (
    "CANDIDATE",
    "STATE",
    "SAMPLES/S",
    "TIMES AS LONG",
    "COMPUTES",
    "AWAITS SAMPLES",
    "AWAITS SUMS",
    "EXCHANGES",
    "SENDS",
    "ONE PROCESS",
    "MEMORY",
    "RUNS",
    "TO TARGET",
)


def print_candidates(found: Search) -> None:
    """Print the candidates that ran, and why others left or cannot run; who was slower stands in the table."""
    if timed := [line for line in found.candidates if line.runs]:
        stdout_console().print(table_of(timed))
    for line in found.candidates:
        if line.reason and line.state != "slower":
            say(f"{line.name} {'was left out' if line.state == 'left_out' else 'left'}: {line.reason}")


def table_of(lines: Iterable[CandidateResult]) -> Table:
    """Return a row for each candidate; the parts of a step are in percent of its time."""
    return table(_HEADINGS, map(_row, lines))


def say_side_by_side(first: Search, second: Search, numbers: tuple[int, int]) -> None:
    """Print the candidates that ran in one of two searches, with their rates and 95 % intervals side by side."""
    sides = [{line.name: line for line in found.candidates if line.runs} for found in (first, second)]
    a, b = numbers
    headings = ("CANDIDATE", f"A={a} samples/s", f"A={a} state", f"B={b} samples/s", f"B={b} state")
    names = dict.fromkeys([*sides[0], *sides[1]])
    rows = [(name, *(cell for side in sides for cell in _rate(side.get(name)))) for name in names]
    if rows:
        stdout_console().print(table(headings, rows))
    for number, found in zip(numbers, (first, second), strict=True):
        say(f"Job {number}: {found.sentence}")


def _rate(line: CandidateResult | None) -> tuple[str | None, str | None]:
    if line is None or line.samples_per_second is None:
        return None, None
    low, high = line.samples_per_second_low, line.samples_per_second_high
    ends = f" ({low:,.0f} to {high:,.0f})" if low is not None and high is not None else ""
    return f"{line.samples_per_second:,.0f}{ends}", line.state


def _row(line: CandidateResult) -> tuple[object, ...]:
    return (
        line.name,
        line.state,
        None if line.samples_per_second is None else f"{line.samples_per_second:,.0f}",
        _times(line),
        _share(line.compute_us, line),
        _share(line.input_us, line),
        _share(line.exposed_us, line),
        None if line.exchanged_bytes is None else format_size(round(line.exchanged_bytes)),
        _sent(line),
        _equal(line),
        None if line.peak_bytes is None else format_size(line.peak_bytes),
        line.runs,
        _to_target(line),
    )


def _sent(line: CandidateResult) -> str | None:
    """Return the bytes that a rank sends in a step, and the most of any rank if that is clearly more."""
    if line.sent_bytes is None:
        return None
    most, sent = line.most_sent_bytes or 0.0, format_size(round(line.sent_bytes))
    return sent if most < 1.1 * line.sent_bytes else f"{sent}, at most {format_size(round(most))}"


def _equal(line: CandidateResult) -> str | None:
    """Return whether the parameters are those of one process, or how far they are from them."""
    if line.difference is None:
        return None
    return "same bits" if line.same_bits else f"differs by {line.difference:.0e}"


def _to_target(line: CandidateResult) -> str | None:
    if line.seconds_to_target is not None:
        return f"{line.seconds_to_target:.3g} s, {plural(line.epochs_to_target or 0, 'epoch')}"
    return None if line.accuracy is None else f"not reached: {line.accuracy:.1%}"


def _times(line: CandidateResult) -> str | None:
    if line.times_as_long is None:
        return None
    low, high = line.times_as_long_low, line.times_as_long_high
    is_known = low is not None and high is not None and low != high
    return f"{line.times_as_long:.2f}" + (f" ({low:.2f} to {high:.2f})" if is_known else "")


def _share(part_us: float | None, line: CandidateResult) -> str | None:
    return f"{part_us / line.step_us:.0%}" if part_us is not None and line.step_us else None
