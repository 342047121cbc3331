"""Times from the cost model, for what was not measured. Pure.

The model prices every schedule on the links of this transport. Their parameters are fitted to the table if it holds
enough all-reduces, else they are ``links.DEFAULTS``. A library has no schedule; MPI is priced by the algorithms that
MPICH documents (Thakur, Rabenseifner and Gropp 2005; its MPIR_CVAR_*_SHORT_MSG_SIZE), with separate parameters, because
its messages are not started from Python. On GPUs without measured rows, NCCL or a CUDA-aware MPI keeps its own choice.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import NamedTuple

from ringscope.choice.links import DEFAULTS, IN_HOST_MEMORY, LIBRARY, CallTime, inside_of, seconds_on, topology_at
from ringscope.choice.situation import Choice, Situation, ratio
from ringscope.contracts.tuning import Table, ranks_of_nodes_in
from ringscope.contracts.words.collectives import PER_RANK, SCHEDULED, VENDORS
from ringscope.contracts.words.devices import MPI_ON_GPUS, carrier
from ringscope.contracts.words.dtypes import ITEMSIZE_BYTES
from ringscope.contracts.words.machine import REFERENCE, Machine
from ringscope.contracts.words.topology import Topology
from ringscope.contracts.words.units import format_size
from ringscope.cost.core_time import Cores
from ringscope.cost.fitting.fit import Fit, fit
from ringscope.schedules.algorithms import SCHEDULES

_MIN_FIT_ROWS = 10
_MAX_REGIMES = 3
_ELEMENT_BYTES = 4
# When the model's choice was wrong, it was at most this much slower than the best one: four ranks on two cores, caches
# too small.
_DOUBT = 4.0
# Cost of our own calls apart from their messages, in NumPy calls; for a library it is part of the latency.
_CALLS_OF_A_CALL = 12.0
_NOT_FITTED = frozenset({"hierarchical"})  # its schedule depends on the nodes, which are unknown to a fit


class Priced(NamedTuple):
    """A call in the model: its time, how many measured rows the parameters were fitted to (0: none, ``DEFAULTS``),

    and the median of abs(ln(model / measured)) over these rows (None without any). ``is_bound``: the time is an upper
    bound.
    """

    time_us: float
    rows: int
    median_error: float | None
    is_bound: bool = False


class Model:
    """The cost model with parameters from one table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._fits: dict[tuple[str, bool, int, bool], Fit | None] = {}
        self._times: dict[tuple[Situation, int, str], CallTime | None] = {}

    def choose(self, situation: Situation, size_bytes: int, names: Sequence[str]) -> Choice:
        """Return the fastest algorithm in the model; on GPUs the library, because the model does not cover GPUs."""
        missing = f"no measurement near {format_size(size_bytes)} for {situation}"
        library = next((name for name in names if name in VENDORS), None)
        if library is not None and situation.base_transport in ("nccl", MPI_ON_GPUS):
            return Choice(library, f"{library.upper()} chooses the algorithm itself; {missing}.")
        fitted = self._fit_of(situation, situation.base_transport)
        model = "model" if fitted is None else f"model, fitted to {len(fitted.log_ratios)} measured rows"
        times = self._times_of(situation, size_bytes, names)
        times_us = {name: time.seconds * 1e6 for name, time in times.items()}
        bounds = [name for name, time in times.items() if time.is_bound]
        return Choice.fastest(model, times_us, f"; {missing}", bounds)

    def likely(self, situation: Situation, size_bytes: int, names: Sequence[str]) -> list[str]:
        """Return the algorithms that may be the fastest, the likeliest first: the model only estimates unmeasured
        machines.

        MPI is among them, because its algorithm is unknown. It is empty if the model does not apply.
        """
        if situation.base_transport not in DEFAULTS or situation.ranks < 2:
            return []
        times = self._times_of(situation, size_bytes, names)
        most_s = _DOUBT * min((time.seconds for time in times.values()), default=inf)
        ordered = sorted(times, key=lambda name: times[name].seconds)
        return [name for name in ordered if times[name].seconds <= most_s or name in VENDORS]

    def _times_of(self, situation: Situation, size_bytes: int, names: Sequence[str]) -> dict[str, CallTime]:
        """Return the times of all algorithms that can be priced, which includes all of our schedules; in place takes
        the same time.
        """
        found = {}
        for name in names:
            asked = replace(situation, in_place=False), size_bytes, name
            if asked not in self._times:
                self._times[asked] = self._time(*asked)
            if (time := self._times[asked]) is not None:
                found[name] = time
        return found

    def priced(self, situation: Situation, size_bytes: int, algorithm: str) -> Priced | None:
        """Return the model's time of one call; None if it cannot price the call: libraries other than MPI, libraries
        on GPUs, unusual core sharing.
        """
        moved_by = carrier(algorithm, situation.transport)
        is_known = situation.base_transport in DEFAULTS and (algorithm in SCHEDULED[situation.collective])
        is_mpi = algorithm == moved_by == "mpi"
        if not (is_known or is_mpi) or situation.ranks < 2 or not size_bytes:
            return None
        fitted = self._fit_of(situation, LIBRARY if is_mpi else moved_by)
        time = self._times_of(situation, size_bytes, [algorithm]).get(algorithm)
        if time is None:
            return None
        rows, error = (0, None) if fitted is None else (len(fitted.log_ratios), fitted.median_error)
        return Priced(time.seconds * 1e6, rows, error, time.is_bound)

    def _time(self, situation: Situation, size_bytes: int, name: str) -> CallTime | None:
        itemsize = ITEMSIZE_BYTES[situation.dtype]
        count = -(-size_bytes // itemsize)
        if situation.collective in PER_RANK:  # in whole elements, as in the sweep
            count = -(-count // situation.ranks) * situation.ranks
        schedule_name = _mpich(situation.collective, size_bytes) if name == "mpi" else name
        nodes, first = [], 0
        for ranks in situation.ranks_of_nodes:
            nodes.append(list(range(first, first + ranks)))
            first += ranks
        moved_by = LIBRARY if name == "mpi" else situation.base_transport
        links = self._links(situation, moved_by, size_bytes)
        cores = self._cores(situation, moved_by)
        time = seconds_on(links, situation.collective, schedule_name, count, itemsize, nodes, cores)
        if time is None or moved_by == LIBRARY or self._is_fitted(situation, moved_by):
            return time
        return time._replace(seconds=time.seconds + _CALLS_OF_A_CALL * self._machine.call_us / 1e6)

    @property
    def _machine(self) -> Machine:
        return self._table.machine or REFERENCE

    def _is_fitted(self, situation: Situation, moved_by: str) -> bool:
        return self._fit_of(situation, moved_by) is not None

    def _links(self, situation: Situation, moved_by: str, size_bytes: int) -> Callable[[float], Topology]:
        """Return the links by message size, for a call of ``size_bytes``."""
        ranks_of_nodes, is_crowded = situation.ranks_of_nodes, situation.is_crowded
        most = max(ranks_of_nodes)
        found = self._fit(moved_by, False, most, is_crowded)
        regimes = found.regimes if found is not None else inside_of(moved_by, self._table.machine, most, size_bytes)
        is_spread = len(ranks_of_nodes) > 1
        outside = self._fit(moved_by, True, len(ranks_of_nodes), is_crowded) if is_spread else None
        between = outside.regimes if outside else DEFAULTS[moved_by].between
        return partial(topology_at, ranks_of_nodes, regimes, between)

    def _cores(self, situation: Situation, moved_by: str) -> Cores | None:
        """Return the core sharing of ranks on one node; None with fitted parameters, which count messages alone."""
        if len(situation.ranks_of_nodes) > 1 or moved_by not in IN_HOST_MEMORY or self._is_fitted(situation, moved_by):
            return None
        shared = self._machine.ranks_per_core(situation.ranks)
        return Cores(shared, self._machine.call_us / 1e6, moved_by == "shared_memory")

    def _fit_of(self, situation: Situation, moved_by: str) -> Fit | None:
        is_spread = len(situation.ranks_of_nodes) > 1
        return self._fit(moved_by, is_spread, situation.ranks, situation.is_crowded)

    def _fit(self, moved_by: str, between_nodes: bool, ranks: int, is_crowded: bool) -> Fit | None:
        """Fit a carrier's parameters to the table's all-reduces; None if it holds too few.

        The fit uses only the nearest number of ranks that has enough rows, and only rows with the same core sharing as
        requested: ranks that share a core wait for it, so rows of four ranks on two cores would spoil the parameters
        for two ranks.
        """
        place = moved_by, between_nodes, ranks, is_crowded
        if place not in self._fits:
            by_ranks: dict[int, list[_Row]] = {}
            for row in self._rows(moved_by):
                if row.is_spread is between_nodes and row.is_crowded is is_crowded:
                    by_ranks.setdefault(row.ranks, []).append(row)
            enough = [number for number, rows in by_ranks.items() if len(rows) >= _MIN_FIT_ROWS]
            nearest = min(enough, key=lambda number: ratio(number, ranks), default=None)
            self._fits[place] = fit(by_ranks[nearest], _MAX_REGIMES) if nearest is not None else None
        return self._fits[place]

    def _rows(self, moved_by: str) -> "list[_Row]":
        """Return out-of-place all-reduces over equal links: inside one node, or between nodes of one rank."""
        rows = []
        for curve in self._table.curves:
            each = ranks_of_nodes_in(curve.shape)
            is_alike = len(each) == 1 or max(each) == 1
            if curve.key[:2] != ("all_reduce", "native") or curve.in_place or sum(each) < 2 or not is_alike:
                continue
            if moved_by == LIBRARY and curve.algorithm == "mpi":
                named = partial(_mpich, curve.collective)
            elif curve.transport == moved_by and curve.algorithm in SCHEDULES.keys() - _NOT_FITTED:
                named = partial(_same, curve.algorithm)
            else:
                continue
            rows += [
                _Row(
                    "all_reduce",
                    named(size),
                    sum(each),
                    size,
                    size // _ELEMENT_BYTES,
                    time_us,
                    is_spread=len(each) > 1,
                    is_crowded=curve.is_crowded,
                )
                for size, time_us in curve.times_us.items()
                if size >= _ELEMENT_BYTES
            ]
        return rows


@dataclass(frozen=True, slots=True)
class _Row:
    """The columns of a measurement that ``fit`` reads."""

    collective: str
    algorithm: str
    ranks: int
    size_bytes: int
    count: int
    p50_us: float
    is_spread: bool
    is_crowded: bool


def _same(name: str, size_bytes: int) -> str:
    return name


def _mpich(collective: str, size_bytes: int) -> str:
    """Return our schedule that is closest to MPICH's default."""
    match collective:
        case "all_reduce":
            return "recursive_doubling" if size_bytes <= 2048 else "halving_doubling"
        case "broadcast":
            return "tree" if size_bytes <= 12_288 else "ring"
        case "reduce":
            return "tree"
        case "reduce_scatter" | "alltoall":
            return "direct"
    return "ring"
