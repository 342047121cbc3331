"""nccl-tests' table: columns, widths and rounding follow nccl-tests 2.19. Pure.

Sizes are binary, GB/s means 1e9 bytes per second.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby

from ringscope.bench.nccl_tests.dtypes import THEIR_DTYPES
from ringscope.bench.nccl_tests.pairs import Pair, by_algorithm, failed_checks, mean_busbw, placements, root_of
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.record import Hello, Measurement
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.machine import shared_cores
from ringscope.contracts.words.units import format_size, plural
from ringscope.contracts.words.version import __version__
from ringscope.judging.comparison import is_unstable

_LEFT = "  {:>12}  {:>8}  {:>6}  {:>6}"
_RIGHT = "  {:>7}  {:>6}  {:>6}  {:>6}"
_ITERATIONS = "  {:>7}  {:>7}  {:>7}  {:>7}"
_TIME = "%Y-%m-%d %H:%M:%S"
_BLOCKING = {
    1: "wait and barrier after each inner iteration (-m) ",
    2: "wait after each inner iteration (-m), no barrier ",
    3: "wait and barrier after each outer iteration (-n); time excludes barrier ",
}


def render_table(
    measurements: Sequence[Measurement],
    spec: BenchmarkSpec | None = None,
    ranks: Iterable[Hello] = (),
    timestamps: bool = False,
) -> str:
    """Return one table per algorithm in nccl-tests' text format; ``spec`` and ``ranks`` complete the header.

    ``timestamps`` ends each row with the time (UTC) at which its last block began.
    """
    devices = sorted(ranks, key=lambda hello: hello.rank)
    return "\n\n".join(
        "\n".join(_table(algorithm, rows, spec, devices, timestamps))
        for algorithm, rows in by_algorithm(measurements).items()
    )


def _table(
    algorithm: str, rows: list[Measurement], spec: BenchmarkSpec | None, devices: Sequence[Hello], timestamps: bool
) -> Iterable[str]:
    failed, per_iteration = failed_checks(rows), spec is not None and spec.per_iteration
    found = [*dict.fromkeys(row.transport for row in rows)]
    transports = " and ".join(found) + " in different rows" * (len(found) > 1)
    yield f"# ringscope version {__version__}"
    yield (
        f"# Collective test starting: {_collective(spec)} algorithm: {algorithm} transport: {transports} "
        f"ranks: {rows[0].ranks}"
    )
    yield _parameters(rows, spec)
    if (lowered := rows[0].lowered_max_bytes) is not None:
        yield f"# maxBytes was lowered to {lowered}: the buffers of larger sizes do not fit into memory"
    if rows[0].transport == SIMULATED:
        cluster = f" ({spec.topology})" if spec and spec.topology else ""
        yield f"# SIMULATED: times of the cost model for a described cluster{cluster}; nothing was measured"
    if crowded := shared_cores(rows[0].ranks, rows[0].cores):
        yield f"# {crowded}: the ranks shared cores, which affects these times"
    if spec and spec.channels and (channels := rows[0].channels):
        yield f"# Rings and trees in {plural(channels, 'channel')}"
    if rows[0].library_function is not None:
        yield f"# NCCL's functions: {rows[0].library_function}"
    if rows[-1].nccl_report is not None:
        yield f"# NCCL's log of rank 0: {rows[-1].nccl_report}"
    if spec and spec.blocking:
        yield f"# Blocking Enabled: {_BLOCKING[spec.blocking]}"
    if spec and spec.per_iteration:
        skipped = f"; summary skips first {spec.skip_iterations} iterations" if spec.skip_iterations else ""
        yield f"# Per-Iteration Report: host clock timing; i_* uses max over process rows{skipped} "
    if devices:
        yield "#"
        yield "# Using devices"
        yield from (f"#  Rank {d.rank:2d} Group  0 Pid {d.pid:6d} on {d.host:>10} device  {d.device}" for d in devices)
    yield from _header(per_iteration, timestamps)
    for pair in placements(rows):
        yield _row(pair, root_of(spec), per_iteration) + (_timestamp(pair) if timestamps else "")
    yield f"# Out of bounds values : {failed} {'FAILED' if failed else 'OK'}"
    yield f"# Avg bus bandwidth    : {mean_busbw(rows):g} "
    yield "#"
    yield f"# Collective test concluded: {_collective(spec)}"
    yield from _choices(rows)
    if rows[0].transport != SIMULATED:
        yield from _medians(rows)
        yield from _unstable(rows)


def _medians(rows: Sequence[Measurement]) -> Iterable[str]:
    """Yield medians and percentiles as comments: parsers expect exactly nccl-tests' columns."""
    yield "#"
    yield "# In addition to the mean times, of the slowest rank in each iteration: median, p5 to p95 (us)"
    yield f"# {'size (B)':>10}  {'out-of-place':>32}  {'in-place':>32}"
    for pair in placements(rows):
        row = pair[0] or pair[1]
        assert row is not None
        yield f"# {row.size_bytes:10d}" + "".join(f"  {_median(placed):>32}" for placed in pair)


def _median(row: Measurement | None) -> str:
    if row is None:
        return "N/A"
    median = _fitted(row.p50_us, 7)
    return median if row.p5_us is None else f"{median}, {_fitted(row.p5_us, 7)} to {_fitted(row.p95_us, 7)}"


def _unstable(rows: Sequence[Measurement]) -> Iterable[str]:
    """Yield a single line for all unstable rows: on a noisy machine most rows are unstable, and the table matters
    more.
    """
    unstable = [row for row in rows if is_unstable(row)]
    if not unstable:
        return
    worst = max(unstable, key=lambda row: row.cv_percent)
    place = "in place" if worst.in_place else "out of place"
    yield (
        f"# UNSTABLE: {len(unstable)} of {len(rows)} means are unreliable, {_range(unstable)}; use the medians. "
        f"Worst: {format_size(worst.size_bytes)}, {place}: cv {worst.cv_percent:.0f} %, p99 "
        f"{worst.p99_us / worst.p50_us if worst.p50_us else 0:.3g} times the median"
    )


def _choices(rows: Sequence[Measurement]) -> Iterable[str]:
    """Yield auto's choices as comments that parsers skip: a line for each range of sizes with one choice."""
    for place, in_place in (("out of place", False), ("in place", True)):
        chosen = [row for row in rows if row.chosen_algorithm is not None and row.in_place is in_place]
        for name, group in groupby(chosen, key=lambda row: row.chosen_algorithm):
            same = list(group)
            yield f"# auto took {name}, {place}, {_range(same)}; {same[0].chosen_because}"


def _range(rows: Sequence[Measurement]) -> str:
    """Format a range of sizes, "8 B to 1 MiB", from rows in any order: each cycle starts again."""
    sizes = [row.size_bytes for row in rows]
    return " to ".join(dict.fromkeys(map(format_size, (min(sizes), max(sizes)))))


def _parameters(rows: Sequence[Measurement], spec: BenchmarkSpec | None) -> str:
    smallest, largest = (
        (spec.min_bytes, spec.max_bytes)
        if spec
        else (min(row.size_bytes for row in rows), max(row.size_bytes for row in rows))
    )
    steps = f"step: {_step(spec)} warmup iters: {spec.warmup} " if spec else ""
    checked = int(spec.check and not spec.is_simulated if spec else rows[0].wrong is not None)
    return (
        f"# nThread 1 nGpus 1 minBytes {smallest} maxBytes {largest} {steps}iters: {rows[0].iterations} "
        f"agg iters: {spec.aggregate if spec else 1} validation: {checked} "
        f"graph: {spec.cuda_graph_launches if spec else 0} unalign: 0"
    )


def _step(spec: BenchmarkSpec) -> str:
    return f"{spec.step_factor}(factor)" if spec.step_factor else f"{spec.step_bytes}(bytes)"


def _header(per_iteration: bool, timestamps: bool) -> Iterable[str]:
    before, between, after = (14, 32, 0) if per_iteration else (11, 23, 10)
    note = " (+ per-iteration)" if per_iteration else ""
    stamp, form = (" " + "timestamp".rjust(19), " " + _TIME.rjust(19)) if timestamps else (" ", " ")
    columns = _RIGHT.format("time", "algbw", "busbw", "#wrong")
    units = _RIGHT.format("(us)", "(GB/s)", "(GB/s)", "")
    if per_iteration:
        columns += _ITERATIONS.format("i_min", "i_max", "i_p99", "i_cv%")
        units += _ITERATIONS.format("(us)", "(us)", "(us)", "(%)")
    places = " " * before + "out-of-place" + note + " " * between + "in-place" + note + " " * after
    yield "#"
    yield "# " + " " * 10 + _LEFT.format("", "", "", "") + places
    yield "# " + f"{'size':>10}" + _LEFT.format("count", "type", "redop", "root") + columns * 2 + stamp
    yield "# " + f"{'(B)':>10}" + _LEFT.format("(elements)", "", "", "") + units * 2 + form


def _collective(spec: BenchmarkSpec | None) -> str:
    return spec.collective if spec else "all_reduce"


def _row(pair: Pair, root: int, per_iteration: bool) -> str:
    row = pair[0] or pair[1]
    assert row is not None
    left = f"{row.size_bytes:12d}" + _LEFT.format(row.count, THEIR_DTYPES.get(row.dtype, row.dtype), row.op, root)
    return left + "".join(_columns(placement, per_iteration) for placement in pair)


def _columns(row: Measurement | None, per_iteration: bool) -> str:
    if row is None:  # the sweep ended before this point
        return _RIGHT.format(*["N/A"] * 4) + (_ITERATIONS.format(*["N/A"] * 4) if per_iteration else "")
    wrong = "N/A" if row.wrong is None else f"{row.wrong:g}"
    rates = _fitted(row.algbw_gb_per_s, 6), _fitted(row.busbw_gb_per_s, 6)
    columns = _RIGHT.format(_fitted(row.time_us, 7), *rates, wrong)
    if per_iteration:
        columns += _ITERATIONS.format(*(_fitted(v, 7) for v in (row.min_us, row.max_us, row.p99_us, row.cv_percent)))
    return columns


def _timestamp(pair: Pair) -> str:
    last = max(row.time_ns for row in pair if row is not None)
    return datetime.fromtimestamp(last // 10**9, UTC).strftime(_TIME).rjust(21)


def _fitted(value: float, width: int) -> str:
    """Format with as many decimals as fit into the width, as nccl-tests' getFloatStr does."""
    texts = (f"{value:.{digits}f}" for digits in (2, 1, 0))
    return next((text for text in texts if len(text) <= width), f"{value:.{1 if width >= 7 else 0}e}")
