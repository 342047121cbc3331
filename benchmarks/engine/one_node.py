"""All-reduce inside this machine: ours beside MPI's own, gloo's, and what the memory can do at most.

The limit. An all-reduce among p ranks of one node must read all inputs and write all results: p messages in, p
messages out. If every rank copies one message, as many bytes move; ``copy`` is the bus bandwidth that an all-reduce
of that duration would have. It is a fair limit once messages leave the private caches, from about 1 MiB on: below,
the copy stays inside one core, while an all-reduce must move every cache line from core to core.

Out of place and in place, in registered buffers; the lower quartile of the rounds. gloo itself works in place only: out
of place it pays for a copy before. Each size is a gang of its own: when other
processes took much of the cores meanwhile it is measured again, and the quietest attempt counts, whatever it shows.

Reached on 2 cores of an AMD EPYC (1 MiB of L2 each, 32 MiB of L3), MPICH 5.0.2, gloo of PyTorch 2.13, in three quiet
runs within ten minutes; results/one_node.json keeps the last one, which is the most favourable but for the limit. The
worst size of each run, out of place and then in place:
- times MPI_Allreduce from 256 KiB up (4 asked): 2 ranks 4.2, 6.4, 6.5 and 5.9, 11, 13; 4 ranks 3.7, 3.75, 5.2 and 4.0,
  4.1, 7.2.
- times gloo from 256 KiB up (10 asked): 2 ranks 7.3, 11.9, 12.9 and 10.7, 18.8, 19.4; 4 ranks 7.9, 7.3, 12.1 and 11.3,
  11.3, 15.3.
- share of the limit at 64 MiB (0.85 asked): 2 ranks 1.06, 0.92, 0.94 and 1.05, 1.01, 1.04; 4 ranks 0.94, 0.94, 0.80 and
  0.83, 0.87, 0.70.
- ``auto`` against MPI_Allreduce up to 16 KiB (0.9 asked): at least 1.1 everywhere.
What differed between the runs: the calls' order within a round (fixed, rotating, random), and the machine's memory, in
which a copy of 64 MiB by 4 ranks took nearly twice as long in the first two. Which of both moved the ratios was not
taken apart.
"""

import importlib.util
from collections.abc import Iterable
from dataclasses import asdict, replace

from benchmarks.command import exec_part
from benchmarks.engine.gangs import on_this_machine
from benchmarks.engine.measure import COPY, MeasurePlan, Series, speedup
from benchmarks.report import Result, Target, say, say_targets, watched

from ringscope.contracts.words.units import format_size

RANKS = (2, 4)
OURS = ("direct", "ring")
_SMALL, _LARGE, _LARGEST = 16 << 10, 256 << 10, 64 << 20
_SIZES = tuple(1 << power for power in range(12, 27, 2))
_HALF_SIZE = 16 << 20
_ROUNDS = 15
_BLOCK_US = 10_000.0
_ATTEMPTS = 3
_QUIET_SHARE = 0.1
Table = dict[tuple[str, int], Series]  # of one placement
_PLACES = {False: "out of place", True: "in place"}


def run() -> Result:
    """Measure for every number of ranks, and half precision beside single."""
    gloo = ("gloo",) if importlib.util.find_spec("torch") else ()
    if not gloo:
        say("one_node: gloo is left out, PyTorch is not installed; pip install 'ringscope[train]'.")
    names = (COPY, *OURS, "auto", "mpi", *gloo)
    plan = MeasurePlan(names, _SIZES, _ROUNDS, in_place=tuple(_PLACES), block_us=_BLOCK_US, min_iterations=2)
    halves = MeasurePlan(("direct",), (_HALF_SIZE,), _ROUNDS, dtypes=("float32", "float16", "bfloat16"))
    series: list[Series] = []
    mixed: list[Series] = []
    targets: list[Target] = []
    others: dict[str, float] = {}
    with watched() as conditions:
        for ranks in RANKS:
            tables: dict[bool, Table] = {in_place: {} for in_place in _PLACES}
            shares: dict[int, float] = {}
            for size_bytes in _SIZES:
                rows, shares[size_bytes] = _quietest(ranks, replace(plan, sizes_bytes=(size_bytes,)))
                for row in rows:
                    tables[row.in_place][row.algorithm, size_bytes] = row
            half_rows, share = _quietest(ranks, halves)
            for in_place, table in tables.items():
                where = f"{ranks} ranks, {_PLACES[in_place]}"
                _show(table, where, shares)
                series += table.values()
                targets += _targets(table, where)
            mixed += half_rows
            others |= {f"{ranks} ranks, {format_size(size)}": share for size, share in shares.items()}
            others[f"{ranks} ranks, halves"] = share
            targets += _half_targets(half_rows, ranks)
    say(f"one_node ({conditions})")
    say_targets(targets)
    details = {"others_share": others, "halves": [asdict(row) for row in mixed]}
    return Result("one_node", conditions, series, targets, details)


def best(table: Table, size_bytes: int) -> Series:
    """The fastest of ours at a size."""
    return min((table[name, size_bytes] for name in OURS), key=lambda row: row.time_us)


def _quietest(ranks: int, plan: MeasurePlan) -> tuple[list[Series], float]:
    """The rows of the attempt with the least of other processes, and their share of the cores."""
    attempts: list[tuple[float, list[Series]]] = []
    for _ in range(_ATTEMPTS):
        with watched() as conditions:
            rows = on_this_machine(ranks, plan)
        attempts.append((conditions.others_share, rows))
        if conditions.others_share <= _QUIET_SHARE:
            break
    share, rows = min(attempts, key=lambda attempt: attempt[0])
    return rows, share


def _targets(table: Table, where: str) -> Iterable[Target]:
    names = {name for name, _ in table}
    for rival, wanted in (("mpi", 4.0), ("gloo", 10.0)):
        if rival in names:
            sizes = [size for size in _SIZES if _LARGE <= size <= _LARGEST]
            ratios = {size: speedup(best(table, size), table[rival, size]) for size in sizes}
            worst = min(ratios, key=ratios.__getitem__)
            span = f"{format_size(_LARGE)} to {format_size(_LARGEST)}"
            yield Target(f"{where}, {span}: times {rival}, worst at {format_size(worst)}", wanted, ratios[worst])
    share = speedup(best(table, _LARGEST), table[COPY, _LARGEST])
    yield Target(f"{where}, {format_size(_LARGEST)}: share of the memory limit", 0.85, share)
    small = min(speedup(table["auto", size], table["mpi", size]) for size in _SIZES if size <= _SMALL)
    yield Target(f"{where}, up to {format_size(_SMALL)}: auto, times mpi", 0.9, small)


def _half_targets(rows: list[Series], ranks: int) -> Iterable[Target]:
    by_dtype = {row.dtype: row for row in rows}
    for dtype in ("float16", "bfloat16"):
        share = speedup(by_dtype[dtype], by_dtype["float32"])
        yield Target(f"{ranks} ranks, {format_size(_HALF_SIZE)}: {dtype}, share of float32's byte rate", 0.5, share)


def _show(table: Table, where: str, others: dict[int, float]) -> None:
    names = list(dict.fromkeys(name for name, _ in table))
    rivals = [name for name in ("mpi", "gloo", COPY) if name in names]
    say(f"\n{where}: busbw in GB/s; the best of ours against the others; what other processes took of the cores")
    say(
        f"{'size':>9}"
        + "".join(f"{name:>9}" for name in names)
        + "".join(f"{'x ' + name:>9}" for name in rivals)
        + "   others"
    )
    for size_bytes in _SIZES:
        columns = "".join(f"{table[name, size_bytes].busbw_gb_per_s:9.2f}" for name in names)
        ratios = (speedup(best(table, size_bytes), table[rival, size_bytes]) for rival in rivals)
        say(
            f"{format_size(size_bytes):>9}{columns}"
            + "".join(f"{ratio:9.2f}" for ratio in ratios)
            + f"{others[size_bytes]:9.0%}"
        )


if __name__ == "__main__":
    exec_part("one_node")
