"""Measure how good the choice of ``auto`` is if nothing was ever measured, as for a first job on a new node.

Every algorithm that ``auto`` can take, and MPI, run in the same rounds; ``auto`` has an empty tuning file, and tries
algorithms as a sweep does. Its time is that of the algorithm it took, so that a share below 1 is a wrong choice and not
noise between two equal calls. ``model`` is what it takes without a trial, as in a program that does not call
``ringscope.tune``; it has no target. The ranks are on this machine over shared memory and over messages, as many as
cores and more; then on two, three and four hosts with links of 1 Gbit/s and a rank on each.

Reached on 2 cores, on a machine that was up to 2.7 times slower than usual and whose speed changed within seconds: 0.9
and more in 115 of 120 cases inside the machine (``model``: in 89), 0.72 to 0.85 in the others, with three and four
ranks; and in 57 of 58 cases between two, three and four hosts (``model``: in 45), 0.77 in the other. The cases of hosts
were measured with a trial that had no third round yet. The missed cases change from run to run: calls that share cores,
or move more than the cache holds, have two speeds, each for longer than a trial.
"""

from collections.abc import Iterable
from dataclasses import replace

from benchmarks.command import exec_part
from benchmarks.engine.gangs import on_hosts, on_this_machine
from benchmarks.engine.measure import MODEL, MeasurePlan, Series
from benchmarks.engine.network import Network, NetworkError, require_network
from benchmarks.report import Result, Target, say, say_targets, watched

from ringscope.choice.chooser import candidates
from ringscope.contracts.words.collectives import AUTO
from ringscope.contracts.words.units import format_size
from ringscope.engine.trial import midmean

RANKS = (2, 3, 4)
TRANSPORTS = ("shared_memory", "mpi")
HOSTS, RATE_BIT_PER_S = (2, 3, 4), 10**9
_MOST_BYTES_BETWEEN = {2: 64 << 20, 3: 64 << 20, 4: 16 << 20}  # what four hosts gather takes too long beyond that
_WANTED = 0.9
_SIZES = (8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20)
_ROUNDS, _ROUNDS_BETWEEN = 15, 3
_CALLS, _CALLS_BETWEEN = 4, 2  # of a block at least, else of 20 ms: what ran before is felt for some
_PLACES = {False: "out of place", True: "in place"}
_CHOOSING = (AUTO, MODEL)


def run() -> Result:
    """Measure every placement."""
    series: list[Series] = []
    targets: list[Target] = []
    with watched() as conditions:
        for transport in TRANSPORTS:
            plan = _plan(transport, _SIZES, _ROUNDS, _CALLS)
            for ranks in RANKS:
                where = f"{ranks} ranks, {transport}"
                rows = [row for size in _SIZES for row in on_this_machine(ranks, replace(plan, sizes_bytes=(size,)))]
                series += rows
                targets += _told(where, rows)
        for hosts in HOSTS:
            rows = _between(hosts)
            series += rows
            targets += _told(f"{hosts} hosts, 1 Gbit/s", rows)
    say(f"untuned ({conditions})")
    say_targets(targets)
    return Result("untuned", conditions, series, targets)


def _plan(transport: str, sizes_bytes: tuple[int, ...], rounds: int, calls: int) -> MeasurePlan:
    return MeasurePlan(
        (*candidates("all_reduce", transport), *_CHOOSING),
        sizes_bytes,
        rounds,
        transport,
        in_place=tuple(_PLACES),
        min_iterations=calls,
        is_tuned=False,
    )


def _between(hosts: int) -> list[Series]:
    try:
        require_network()
    except NetworkError as error:
        say(f"untuned: hosts are left out. {error}")
        return []
    with Network(hosts, RATE_BIT_PER_S) as network:
        # A gang for each size: the largest takes minutes, as what gathers at one host sends all of it through one link.
        sizes = [size for size in _SIZES if size <= _MOST_BYTES_BETWEEN[hosts]]
        return [
            row for size in sizes for row in on_hosts(network, _plan("mpi", (size,), _ROUNDS_BETWEEN, _CALLS_BETWEEN))
        ]


def _time_us(series: Series) -> float:
    """Return the mean of the middle half of the rounds, as a trial does: ranks that share cores have two speeds."""
    return midmean(series.times_us)


def _told(where: str, rows: list[Series]) -> Iterable[Target]:
    """A table of shares of the fastest one's bandwidth, and what ``auto`` is held to."""
    if not rows:
        return
    say(f"\n{where}: share of the fastest one's bandwidth, and what was taken")
    say(f"{'size':>9} {'':>12} {'fastest':>22} {AUTO:>28} {MODEL:>28}")
    for in_place, place in _PLACES.items():
        worst = 1.0
        for size_bytes in sorted({row.size_bytes for row in rows}):
            here = {row.algorithm: row for row in rows if (row.size_bytes, row.in_place) == (size_bytes, in_place)}
            best = min((row for name, row in here.items() if name not in _CHOOSING), key=_time_us)
            shares = {name: _time_us(best) / _time_us(here[name]) for name in _CHOOSING}
            taken = (f"{here[name].chosen_algorithm:>23} {share:4.2f}" for name, share in shares.items())
            say(f"{format_size(size_bytes):>9} {place:>12} {best.algorithm:>22} {' '.join(taken)}")
            worst = min(worst, shares[AUTO])
        yield Target(f"{where}, {place}: auto, share of the fastest, worst size", _WANTED, worst)


if __name__ == "__main__":
    exec_part("untuned")
