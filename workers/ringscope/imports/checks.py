"""Every run is recomputed: ranks, collective, each row's identities, the footer; what is no result is refused. Pure."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor, inf, isfinite

from ringscope.contracts.words.units import plural
from ringscope.imports.model import Cell, Row, Run
from ringscope.imports.names import ITEMSIZES, factor, has_parts

TIME = "algbw = size / time"
BUS = "busbw = algbw x factor"
COUNT = "size = count x bytes of the dtype"
FINITE = "a number is not finite"
_SLACK = 1e-6  # relative, for numbers that are printed with all digits
_MOST_RANKS = 1_000_000
_TELLING_GB_PER_S = 0.1  # an algbw with at least two digits


def check(run: Run) -> Run:
    """Complete a run: infer what is missing, flag rows that contradict themselves, refuse what is no result."""
    for row in run.rows:
        if any(cell is not None and cell.value == inf for cell in (row.time_us, row.algbw, row.busbw)):
            row.flags.append(FINITE)
    _unit(run)
    _collective(run)
    _ranks(run)
    for row in run.rows:
        row.flags += _broken(row, run)
    _footer(run)
    if any(row.wrong for row in run.rows):
        run.failed = True
    run.refused = run.refused or _refusal(run)
    if run.refused:
        run.rows = []
    elif run.crash:
        run.note(f"Line {run.crash[0]}: a process failed: {run.crash[1]}")
    if run.partial and not run.refused:
        run.note("The table is not complete: the beginning, rows or the end are missing.")
    return run


def _unit(run: Run) -> None:
    """Take times as milliseconds, as the table of 2018 has them, if only then they agree with algbw."""
    told = [row for row in run.rows if row.time_us and row.algbw and row.algbw.value >= _TELLING_GB_PER_S]
    if not told or any(_meets(row, 1.0) for row in told) or not any(_meets(row, 1000.0) for row in told):
        return
    if sum(_meets(row, 1000.0) for row in told) * 2 >= len(told):
        for row in run.rows:
            if row.time_us is not None:
                row.time_us = Cell(row.time_us.value * 1000, row.time_us.half * 1000)
        run.note("The times are in milliseconds, as in the tables of 2018; they are shown in microseconds.")


def _meets(row: Row, scale: float) -> bool:
    assert row.time_us and row.algbw
    return _agree(*_rate(row.size_bytes, row.time_us, scale), row.algbw)


def _rate(size_bytes: int, time: Cell, scale: float = 1.0) -> tuple[float, float]:
    """Return the interval of size / time in GB/s."""
    low = size_bytes / (time.high * scale * 1e3) if time.high else 0.0
    return low, size_bytes / (time.low * scale * 1e3) if time.low > 0 else inf


def _agree(low: float, high: float, cell: Cell) -> bool:
    return low <= cell.high * (1 + _SLACK) and high >= cell.low * (1 - _SLACK)


def _collective(run: Run) -> None:
    """Infer the collective from the columns where they allow only one; never choose among several."""
    if run.collective is not None or not run.rows or run.test:
        return
    rows = [row for row in run.rows if row.count]
    row = rows[-1] if rows else run.rows[-1]
    whole = bool(rows) and all(r.size_bytes == (r.count or 0) * ITEMSIZES.get(r.dtype or "", 0) for r in rows)
    out, inside = _checked(run.rows, False), _checked(run.rows, True)
    ratios = [r.busbw.value / r.algbw.value for r in run.rows if r.algbw and r.busbw and r.algbw.value >= 1]
    reduces = row.redop not in (None, "", "none")
    if reduces and whole and (row.root is None or row.root < 0):
        if any(ratio > 1.01 for ratio in ratios) or inside or row.root is None:
            run.collective = "all_reduce"
        elif out and not inside and any(row.in_place for row in run.rows):
            run.collective = "sendrecv"
    elif reduces and not whole and (row.root is None or row.root < 0) and ratios:
        run.collective = "reduce_scatter"
    elif reduces and whole and row.root is not None and row.root >= 0:
        run.collective = "reduce"
    elif row.redop == "none" and row.root is not None and row.root < 0 and not whole and out:
        if any(r.in_place for r in run.rows):
            run.collective = "all_gather" if inside else "alltoall"
    elif row.redop == "none" and row.root is not None and row.root >= 0 and whole:
        run.collective = "broadcast"
    if run.collective:
        run.collective_from = "the columns of the table"
    else:
        run.note("The collective cannot be told from the table: several have these columns.")


def _checked(rows: Sequence[Row], in_place: bool) -> bool:
    return any(r.wrong is not None or r.error is not None for r in rows if r.in_place is in_place)


def _ranks(run: Run) -> None:
    """Take the ranks from the header or the device list if the rows agree, else from NCCL's lines, else from busbw."""
    inferred = _inferred(run)
    told: list[tuple[int, str]] = [(run.ranks, run.ranks_from or "the file")] if run.ranks else []
    devices = run.machine.devices
    if devices and (run.machine.is_list_whole or inferred is not None):
        groups = len({device.group for device in devices})
        worlds = max(1, sum(device.rank == 0 for device in devices))
        listed = max(len(devices), max(device.rank for device in devices) + 1)
        told.append((max(1, listed // max(groups, worlds)), "the device list"))
        if worlds > max(1, groups):
            run.note(f"{worlds} worlds that did not know of each other printed into this file; their rows are mixed.")
    if run.machine.info_ranks:
        told.append((run.machine.info_ranks, "NCCL's lines"))
    fitting = [one for one in told if inferred is None or one[0] == inferred]
    if fitting:
        run.ranks, run.ranks_from = fitting[0]
    elif inferred is not None:
        run.ranks, run.ranks_from = inferred, "busbw / algbw"
        if told:
            run.note(f"busbw / algbw is that of {inferred} ranks, though {told[0][1]} has {told[0][0]}.")
    elif told:
        run.ranks, run.ranks_from = told[0]
    elif run.rows and not run.test:
        run.note("The number of ranks is in no line and does not follow from busbw / algbw.")


def _inferred(run: Run) -> int | None:
    """Return the only number of ranks that busbw / algbw of the rows allows; None if there is none or several."""
    rows = [row for row in run.rows if row.algbw and row.busbw and row.algbw.low > 0 and row.busbw.value > 0]
    rows = [row for row in rows if FINITE not in row.flags]
    if run.collective is None:
        whole = not any(row.busbw and row.algbw and row.busbw.low < row.algbw.high * 0.999 for row in rows)
        twice = False if not whole else None
    else:
        twice = {"all_reduce": True}.get(run.collective, False if has_parts(run.collective) else None)
    if twice is None or not rows:
        return None
    spans = sorted((_span(row, twice) for row in rows), key=lambda span: span[1] - span[0])
    low, high = spans[0]
    for other_low, other_high in spans[1:]:
        if max(low, other_low) <= min(high, other_high):
            low, high = max(low, other_low), min(high, other_high)
    if not isfinite(high) or ceil(low) != floor(high) or not 2 <= ceil(low) <= _MOST_RANKS:
        return None
    ranks = ceil(low)
    agreeing = sum(span[0] <= ranks <= span[1] for span in spans)
    return ranks if agreeing * 2 > len(spans) else None


def _span(row: Row, twice: bool) -> tuple[float, float]:
    """Return between which numbers of ranks a row's busbw / algbw lies."""
    assert row.algbw and row.busbw
    top = 2.0 if twice else 1.0
    ends = [
        row.busbw.low * (1 - _SLACK) / row.algbw.high,
        row.busbw.high * (1 + _SLACK) / row.algbw.low,
    ]
    low, high = (top / (top - ratio) if ratio < top else inf for ratio in ends)
    return low, high


def _broken(row: Row, run: Run) -> list[str]:
    """Return the identities that the row's printed cells contradict."""
    if FINITE in row.flags:
        return []
    broken = []
    if row.time_us is not None and row.algbw is not None and not _meets(row, 1.0):
        broken.append(TIME)
    if row.algbw is not None and row.busbw is not None and run.collective and run.ranks:
        times = factor(run.collective, run.ranks)
        if not _agree(row.algbw.low * times, row.algbw.high * times, row.busbw):
            broken.append(BUS)
    itemsize = ITEMSIZES.get(row.dtype or "")
    if row.count is not None and itemsize and run.collective not in (None, "alltoallv", "hypercube"):
        assert run.collective is not None
        parts = run.ranks if has_parts(run.collective) else 1
        if parts and row.size_bytes != row.count * itemsize * parts:
            broken.append(COUNT)
    return broken


def _footer(run: Run) -> None:
    """Compare sizes with the step, and the footer with the mean of the rows; if they differ, rows are missing."""
    run.partial |= not run.rows and run.mean_busbw is not None and run.mean_busbw.value > 0
    # Sizes are rounded down to whole pieces, so that a step can be almost twice as large.
    largest_step = 2 * run.step_factor - 1 if run.step_factor is not None and run.step_factor > 1 else inf
    for size, following in pairwise(row.size_bytes for row in run.rows):
        if size > 0 and size * largest_step < following:
            run.partial = True
            run.note(f"A row is missing between {size} B and {following} B: the step is {run.step_factor}.")
    cells = [row.busbw for row in run.rows if row.busbw is not None and isfinite(row.busbw.value)]
    if run.mean_busbw is None or not cells:
        return
    mean = sum(cell.value for cell in cells) / len(cells)
    half = sum(cell.half for cell in cells) / len(cells) + run.mean_busbw.half
    if abs(mean - run.mean_busbw.value) > half * (1 + _SLACK) + _SLACK * mean:
        run.partial = True
        run.note(
            f"The footer's average, {run.mean_busbw.value:g} GB/s, is not that of the rows, {mean:.6g} GB/s: rows are "
            "missing or damaged."
        )


def _refusal(run: Run) -> str | None:
    """Return why a run is no result, in a sentence with its line."""
    if run.simulated:
        return f"Line {run.line}: the times are simulated; nothing was measured."
    if not run.rows:
        if run.crash:
            return f"Line {run.crash[0]}: the run crashed before its first row: {run.crash[1]}"
        return f"Line {run.line}: there is no row of a table here, so nothing was measured; give the whole log."
    quiet = all(row.busbw is not None and row.busbw.value == 0 for row in run.rows)
    busy = any(row.algbw is not None and row.algbw.value >= _TELLING_GB_PER_S for row in run.rows)
    if quiet and (run.ranks == 1 or busy):
        worlds = sum(device.rank == 0 for device in run.machine.devices)
        what = f"{plural(worlds, 'world')} of one rank each" if worlds > 1 else "every rank is alone"
        return (
            f"Line {run.rows[0].line}: busbw is 0 in every row ({what}), so nothing went over a link; start all ranks "
            "together, with a program that is built with MPI."
        )
    return None
