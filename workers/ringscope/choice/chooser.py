"""What ``auto`` takes, and why: the fastest by what was measured in the same situation, else by the cost model. Pure.

Measured means at a size within a factor of four: between two measured sizes the times are interpolated on logarithmic
axes. The model prices every schedule on the links of this transport, whose parameters are fitted to the table where it
holds enough all-reduces, and are those of ``DEFAULTS`` where it does not. A library has no schedule; MPI is priced by
the algorithms that MPICH documents (Thakur, Rabenseifner and Gropp 2005; its MPIR_CVAR_*_SHORT_MSG_SIZE), with
parameters of its own, as its messages are not started from Python. On GPUs without measured rows the choice of NCCL,
or of a CUDA-aware MPI, stands.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, log
from typing import NamedTuple

from ringscope.contracts.collectives import PER_RANK, SCHEDULED, VENDORS
from ringscope.contracts.devices import MPI_ON_GPUS, carrier
from ringscope.contracts.dtypes import ITEMSIZE_BYTES
from ringscope.contracts.topology import PRESETS, Link, Topology, flat
from ringscope.contracts.tuning import HALVES, Key, Table, arithmetic_of, ranks_of_nodes_in, shape_of
from ringscope.contracts.units import format_duration, format_size
from ringscope.cost.fit import Fit, fit
from ringscope.cost.regimes import Regime, message_bytes
from ringscope.cost.timeline import Timeline, simulate
from ringscope.schedules.algorithms import SCHEDULES, build
from ringscope.schedules.schedule import Schedule

MAX_PRICED_RANKS = 32  # the schedules of more take longer to price than most sweeps to run
LIBRARY = "library"  # the MPI library's own messages, as a carrier in the model
_REACH = 4.0
_MIN_FIT_ROWS = 10
_MAX_REGIMES = 3
_ELEMENT_BYTES = 4
_NOT_FITTED = frozenset({"hierarchical"})  # its schedule depends on the nodes, which a fit does not know
_NAMED = 3


class Choice(NamedTuple):
    """The algorithm, and the reason in a sentence with figures."""

    algorithm: str
    because: str


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything but the size that a choice depends on; ``ranks_of_nodes`` are the numbers of ranks, in rank order."""

    collective: str
    dtype: str
    ranks_of_nodes: tuple[int, ...]
    transport: str
    in_place: bool = False

    @property
    def ranks(self) -> int:
        """Ranks on all nodes."""
        return sum(self.ranks_of_nodes)

    @property
    def key(self) -> Key:
        """Which curves of a table are about it."""
        arithmetic = arithmetic_of(self.collective, self.dtype)
        return Key(self.collective, arithmetic, shape_of(self.ranks_of_nodes), self.in_place)

    def __str__(self) -> str:
        nodes = len(self.ranks_of_nodes)
        where = f"{self.ranks} ranks on {nodes} node{'s' if nodes > 1 else ''} over {self.transport}"
        return f"{self.collective} of {self.dtype}{' in place' if self.in_place else ''}, {where}"


class Priced(NamedTuple):
    """A call in the model: its time, how many measured rows the parameters were fitted to (0: none, ``DEFAULTS``),

    and the median of abs(ln(model / measured)) over these rows (None without any).
    """

    time_us: float
    rows: int
    median_error: float | None


class Parameters(NamedTuple):
    """A carrier's regimes between ranks of one node, and its link between nodes."""

    inside: tuple[Regime, ...]
    between: Link


_NETWORK = PRESETS["10gbe"].link
_NVLINK = PRESETS["nvlink4"].link
_BETWEEN_GPUS = Parameters((Regime(inf, _NVLINK.latency_s, 1 / _NVLINK.bytes_per_s, None),), _NETWORK)
# In host memory: fits to medians of `ringscope bench` from 8 B to 16 MiB, two ranks on two cores of an AMD EPYC,
# MPICH 5.0.2; their median error is 7 % (shared_memory), 8 % (mpi), 4 and 8 % (MPICH's own). Nothing was measured over
# cuda_ipc or MPI between GPUs, nor between nodes: those are the presets' figures.
DEFAULTS: dict[str, Parameters] = {
    "shared_memory": Parameters((Regime(inf, 1.43e-6, 1.31e-11, 1.78e-11),), _NETWORK),
    "mpi": Parameters((Regime(5800, 1.72e-6, 0.0, 2.02e-10), Regime(inf, 4.65e-6, 6.12e-11, 2.92e-11)), _NETWORK),
    LIBRARY: Parameters((Regime(2900, 2.72e-6, 5.67e-10, None), Regime(inf, 1.68e-6, 1.36e-10, None)), _NETWORK),
    "cuda_ipc": _BETWEEN_GPUS,
    MPI_ON_GPUS: _BETWEEN_GPUS,
}


def candidates(collective: str, transport: str) -> tuple[str, ...]:
    """What ``auto`` can take: our schedules, and the library that is always there; gloo and PyTorch may be missing."""
    library = {"nccl": "nccl", "cuda_ipc": None}.get(_base(transport), "mpi")
    return (*SCHEDULED[collective], *([library] if library is not None else []))


class Chooser:
    """Chooses by one table. Choices are worked out once and then looked up."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._curves: dict[Key, dict[tuple[str, str], Mapping[int, float]]] = {}
        for curve in table.curves:
            self._curves.setdefault(curve.key, {})[curve.transport, curve.algorithm] = curve.times_us
        self._fits: dict[tuple[str, bool, int], Fit | None] = {}
        self._choices: dict[tuple[Situation, int], Choice] = {}

    def choose(self, situation: Situation, size_bytes: int) -> Choice:
        """The algorithm for one call of ``size_bytes``, counted as in measurements."""
        place = situation, size_bytes
        if place not in self._choices:
            self._choices[place] = self._choose(*place)
        return self._choices[place]

    def _choose(self, situation: Situation, size_bytes: int) -> Choice:
        names = candidates(situation.collective, situation.transport)
        if _base(situation.transport) == MPI_ON_GPUS and situation.key.arithmetic in HALVES:
            names = tuple(name for name in names if name not in VENDORS)  # few MPI libraries add these by themselves
        if situation.ranks == 1 or not size_bytes:
            return Choice(names[0], "There is nothing to send.")
        return self._measured(situation, size_bytes, names) or self._modelled(situation, size_bytes, names)

    def priced(self, situation: Situation, size_bytes: int, algorithm: str) -> Priced | None:
        """The model's time of one call; None for what it does not know: libraries but MPI, GPUs' own, many ranks."""
        moved_by = carrier(algorithm, situation.transport)
        is_known = _base(situation.transport) in DEFAULTS and (algorithm in SCHEDULED[situation.collective])
        is_mpi = algorithm == moved_by == "mpi"
        if not (is_known or is_mpi) or not 1 < situation.ranks <= MAX_PRICED_RANKS or not size_bytes:
            return None
        fitted = self._fit(LIBRARY if is_mpi else moved_by, len(situation.ranks_of_nodes) > 1, situation.ranks)
        time_us = self._price_s(situation, size_bytes, algorithm) * 1e6
        return (
            Priced(time_us, 0, None) if fitted is None else Priced(time_us, len(fitted.log_ratios), fitted.median_error)
        )

    # from the table

    def _measured(self, situation: Situation, size_bytes: int, names: Sequence[str]) -> Choice | None:
        """The fastest of the measured ones; None where there are not two to compare."""
        curves = self._curves.get(situation.key, {})
        keys = {name: (carrier(name, situation.transport), name) for name in names}
        times = {name: curves[key] for name, key in keys.items() if key in curves}
        sizes = {size for one in times for size in times[one] if sum(size in other for other in times.values()) > 1}
        below = max((size for size in sizes if size <= size_bytes), default=None)
        above = min((size for size in sizes if size >= size_bytes), default=None)
        near = sorted({size for size in (below, above) if size is not None and _ratio(size, size_bytes) <= _REACH})
        both = [name for name, curve in times.items() if all(size in curve for size in near)]
        if len(both) < 2:  # each size has two algorithms, but not the same ones
            near = sorted(near, key=lambda size: _ratio(size, size_bytes))[:1]
            both = [name for name, curve in times.items() if all(size in curve for size in near)]
        if not near:
            return None
        found_us = {name: _interpolated(times[name], near, size_bytes) for name in both}
        return _fastest("measured", found_us, _at(near, size_bytes))

    # from the model

    def _modelled(self, situation: Situation, size_bytes: int, names: Sequence[str]) -> Choice:
        missing = f"nothing measured near {format_size(size_bytes)} for {situation}"
        library = next((name for name in names if name in VENDORS), None)
        if library is not None and _base(situation.transport) in ("nccl", MPI_ON_GPUS):
            return Choice(library, f"{library.upper()}'s own choice stands; {missing}.")
        if library is not None and situation.ranks > MAX_PRICED_RANKS:
            return Choice(library, f"More than {MAX_PRICED_RANKS} ranks are too many to price; {missing}.")
        fitted = self._fit(_base(situation.transport), len(situation.ranks_of_nodes) > 1, situation.ranks)
        model = "model" if fitted is None else f"model, fitted to {len(fitted.log_ratios)} measured rows"
        times_us = {name: self._price_s(situation, size_bytes, name) * 1e6 for name in names}
        return _fastest(model, times_us, f"; {missing}")

    def _price_s(self, situation: Situation, size_bytes: int, name: str) -> float:
        itemsize = ITEMSIZE_BYTES[situation.dtype]
        count = -(-size_bytes // itemsize)
        if situation.collective in PER_RANK:  # in whole parts, as the sweep has it
            count = -(-count // situation.ranks) * situation.ranks
        schedule_name = _mpich(situation.collective, size_bytes) if name == "mpi" else name
        nodes, first = [], 0
        for ranks in situation.ranks_of_nodes:
            nodes.append(list(range(first, first + ranks)))
            first += ranks
        schedule = build(schedule_name, situation.ranks, count, nodes, situation.collective)
        moved_by = LIBRARY if name == "mpi" else _base(situation.transport)
        return self._seconds(schedule, itemsize, situation.ranks_of_nodes, moved_by)

    def _seconds(self, schedule: Schedule, itemsize: int, ranks_of_nodes: tuple[int, ...], moved_by: str) -> float:
        inside, between = DEFAULTS[moved_by]
        found = self._fit(moved_by, False, max(ranks_of_nodes))
        regimes = found.regimes if found is not None else inside
        is_spread = len(ranks_of_nodes) > 1
        outside = self._fit(moved_by, True, len(ranks_of_nodes)) if is_spread else None
        links = partial(topology_at, ranks_of_nodes, regimes, outside.regimes if outside else between)
        return timeline_on(links, schedule, itemsize).seconds

    def _fit(self, moved_by: str, between_nodes: bool, ranks: int) -> Fit | None:
        """Parameters of a carrier from the table's all-reduces; None where it holds too few.

        Of the numbers of ranks that have enough rows the nearest counts alone: ranks that share a core wait for it, so
        that rows of four ranks on two cores would spoil the parameters of two.
        """
        place = moved_by, between_nodes, ranks
        if place not in self._fits:
            by_ranks: dict[int, list[_Row]] = {}
            for row in self._rows(moved_by):
                if row.is_spread is between_nodes:
                    by_ranks.setdefault(row.ranks, []).append(row)
            enough = [number for number, rows in by_ranks.items() if len(rows) >= _MIN_FIT_ROWS]
            nearest = min(enough, key=lambda number: _ratio(number, ranks), default=None)
            self._fits[place] = fit(by_ranks[nearest], _MAX_REGIMES) if nearest is not None else None
        return self._fits[place]

    def _rows(self, moved_by: str) -> "list[_Row]":
        """Out-of-place all-reduces over links that are alike: inside one node, or between nodes of one rank."""
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
                _Row("all_reduce", named(size), sum(each), size, size // _ELEMENT_BYTES, time_us, len(each) > 1)
                for size, time_us in curve.times_us.items()
                if size >= _ELEMENT_BYTES
            ]
        return rows


@dataclass(frozen=True, slots=True)
class _Row:
    """What ``fit`` wants to know of a measurement."""

    collective: str
    algorithm: str
    ranks: int
    size_bytes: int
    count: int
    p50_us: float
    is_spread: bool


def _same(name: str, size_bytes: int) -> str:
    return name


def _mpich(collective: str, size_bytes: int) -> str:
    """The schedule of ours that is nearest to what MPICH does by default."""
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


def timeline_on(links: Callable[[float], Topology], schedule: Schedule, itemsize_bytes: int) -> Timeline:
    """A schedule on the links that messages of its own size see; a first price, of the shortest, tells how large."""
    shortest = links(0.0)
    found = simulate(schedule, itemsize_bytes, shortest)
    theirs = links(message_bytes(found.critical_path()))
    return found if theirs == shortest else simulate(schedule, itemsize_bytes, theirs)


def topology_at(
    ranks_of_nodes: tuple[int, ...],
    inside: Sequence[Regime],
    between: Link | Sequence[Regime],
    message_bytes: float,
) -> Topology:
    """The links as messages of this size see them; nodes of unequal size count as if every rank had its own."""
    ranks = sum(ranks_of_nodes)
    intra, adding = _link(inside, message_bytes)
    if len(ranks_of_nodes) == 1:
        return flat(ranks, intra, adding)
    inter = between if isinstance(between, Link) else _link(between, message_bytes)[0]
    if len(set(ranks_of_nodes)) > 1 or ranks_of_nodes[0] == 1:
        return flat(ranks, inter, adding)
    each = ranks_of_nodes[0]
    return Topology(ranks, inter, intra, ranks_per_node=each, nics_per_node=1, reduce_bytes_per_s=adding)


def _link(regimes: Sequence[Regime], message_bytes: float) -> tuple[Link, float | None]:
    regime = next(regime for regime in regimes if message_bytes < regime.below_bytes)
    send, add = regime.send_s_per_byte, regime.reduce_s_per_byte or 0.0
    if not send:  # all-reduces may leave it to adding; a collective that only moves data must pay for it too
        send = add = add / 2
    return Link(regime.latency_s, 1 / send if send else inf), 1 / add if add else None


def _fastest(source: str, times_us: Mapping[str, float], where: str) -> Choice:
    """The lowest time; of equal ones the library's, since its messages start without Python."""
    ordered = sorted(times_us, key=lambda name: (times_us[name], name not in VENDORS))
    named = ordered[: _NAMED - 1]
    named += [name for name in ordered[_NAMED - 1 :] if name in VENDORS][:1]
    figures = ", ".join(f"{name} {format_duration(times_us[name] / 1e6)}" for name in named)
    return Choice(ordered[0], f"{source}: {figures}{where}.")


def _at(near: Sequence[int], size_bytes: int) -> str:
    if len(near) == 2:
        return f" between {format_size(near[0])} and {format_size(near[1])}"
    nearest = "" if near[0] == size_bytes else ", the nearest size"
    return f" at {format_size(near[0])}{nearest}"


def _interpolated(times_us: Mapping[int, float], near: Sequence[int], size_bytes: int) -> float:
    first, last = near[0], near[-1]
    if first == last:
        return times_us[first]
    share = log(size_bytes / first) / log(last / first)
    return float(times_us[first] ** (1 - share) * times_us[last] ** share)


def _ratio(size: int, other: int) -> float:
    return max(size, other) / min(size, other)


def _base(transport: str) -> str:
    """The transport without what a name says beside, such as one-device loopback."""
    return transport.partition(",")[0]
