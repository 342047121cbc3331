"""Measured times by situation, as ``auto`` looks them up. Pure.

A table is a list of curves. A curve is one algorithm's median times over the message size, for one placement of ranks
on nodes, with or without a core for each rank, over one transport, in place or out of place. The device needs no field:
every transport works on one device, or has a name for each (``devices.MPI_ON_GPUS``). The operation needs no field
either, because the algorithms differ in what they send and in how often they add, not in how long one addition takes;
half precision, which is converted before it is added, has its own curves.
"""

import itertools
import operator
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from ringscope.contracts.record import Measurement
from ringscope.contracts.search.record import MeasuredSum
from ringscope.contracts.words.collectives import REDUCING
from ringscope.contracts.words.devices import MPI_ON_GPUS, TRANSPORT_DEVICES, VENDOR_DEVICES
from ringscope.contracts.words.machine import Machine, shared_cores

VERSION = 1
MAX_CURVES = 10_000
MAX_SIZES = 100
HALVES = frozenset({"float16", "bfloat16"})
# Times of the model and of ranks that share a GPU have other names, and say nothing about this machine's links.
_CARRIERS = frozenset(
    {*TRANSPORT_DEVICES, MPI_ON_GPUS, *(name for name, devices in VENDOR_DEVICES.items() if "cpu" in devices)}
)

Arithmetic = Literal["none", "native", "float16", "bfloat16"]


class Key(NamedTuple):
    """Curves with the same key are alternatives to each other."""

    collective: str
    arithmetic: str
    shape: str
    in_place: bool
    is_crowded: bool = False  # fewer cores than ranks


# Times in us by situation, transport and algorithm, and then by size_bytes.
_Times = defaultdict[tuple[Key, str, str], defaultdict[int, list[float]]]


class Curve(BaseModel):
    """One algorithm's times in one situation."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    collective: str
    arithmetic: Arithmetic = Field(
        description="Cost class of the dtype: only moved, added natively, or added as halves."
    )
    shape: str = Field(description="Nodes x ranks per node, such as 2x4; 3+1 if the nodes' numbers differ.")
    in_place: bool
    transport: str = Field(description="The transport as in measurements; a library in host memory has its own name.")
    algorithm: str
    times_us: dict[int, float] = Field(max_length=MAX_SIZES, description="Median time by size_bytes.")
    # Left out if false, so that agents of earlier versions, which refuse unknown fields, accept the rest.
    is_crowded: bool = Field(False, exclude_if=operator.not_, description="There were fewer cores than ranks.")

    @property
    def key(self) -> Key:
        """Return the situation that the curve belongs to."""
        return Key(self.collective, self.arithmetic, self.shape, self.in_place, self.is_crowded)


class Table(BaseModel):
    """All known curves: one for each (situation, transport, algorithm)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    curves: tuple[Curve, ...] = Field((), max_length=MAX_CURVES)
    machine: Machine | None = Field(
        None, description="Speed of this machine, which the model uses if there is no curve; null: not measured."
    )

    @property
    def row_count(self) -> int:
        """Return the number of times in the table."""
        return sum(len(curve.times_us) for curve in self.curves)

    def updated(self, newer: "Table") -> "Table":
        """Return this table merged with ``newer``, whose times win if both have one."""
        times: dict[tuple[Key, str, str], dict[int, float]] = {}
        for curve in (*self.curves, *newer.curves):
            name = curve.key, curve.transport, curve.algorithm
            older = {size: time for size, time in times.get(name, {}).items() if size not in curve.times_us}
            times[name] = older | curve.times_us
        return _table(times).on(newer.machine or self.machine)

    def told_crowds(self) -> "Table":
        """Return this table with ``crowded`` filled in for curves of earlier versions, which did not store it.

        A curve with more ranks than its machine has cores is taken as crowded.
        """
        if self.machine is None or self.machine.cores is None:
            return self
        most = self.machine.cores
        curves = [
            curve.model_copy(update={"is_crowded": curve.is_crowded or max(ranks_of_nodes_in(curve.shape)) > most})
            for curve in self.curves
        ]
        return self.model_copy(update={"curves": tuple(curves)})

    def on(self, machine: Machine | None) -> "Table":
        """Return the same times, on this machine."""
        return self.model_copy(update={"machine": machine})


def arithmetic_of(collective: str, dtype: str) -> Arithmetic:
    """Return the dtypes' cost class: data that is only moved, numbers that the CPU adds natively, or one of the half
    precisions.
    """
    if collective not in REDUCING:
        return "none"
    return dtype if dtype in HALVES else "native"  # type: ignore[return-value]


def shape_of(ranks_of_nodes: Sequence[int]) -> str:
    """Return the placement of ranks as a short text: 1x4, 2x8, or 3+1 for nodes with different numbers of ranks."""
    largest_first = sorted(ranks_of_nodes, reverse=True)
    if len(set(largest_first)) == 1:
        return f"{len(largest_first)}x{largest_first[0]}"
    return "+".join(map(str, largest_first))


def ranks_of_nodes_in(shape: str) -> tuple[int, ...]:
    """Parse such a text: (4, 4) for 2x4, (3, 1) for 3+1."""
    nodes, _, each = shape.partition("x")
    return (int(each),) * int(nodes) if each else tuple(map(int, shape.split("+")))


def table_of(rows: Iterable[Measurement], ranks_of_nodes: Sequence[int]) -> Table:
    """The rows of one run. A row of ``auto`` counts for the algorithm that it chose; wrong and simulated rows do not
    count.

    If a sweep was repeated, the median of its repetitions counts. Runs with an explicit number of channels are left
    out.
    """
    found: _Times = defaultdict(lambda: defaultdict(list))
    shape = shape_of(ranks_of_nodes)
    for row in rows:
        if row.transport not in _CARRIERS or row.wrong or not row.size_bytes or row.p50_us <= 0:
            continue
        is_crowded = bool(shared_cores(row.ranks, row.cores))
        key = Key(row.collective, arithmetic_of(row.collective, row.dtype), shape, row.in_place, is_crowded)
        found[key, row.transport, row.chosen_algorithm or row.algorithm][row.size_bytes].append(row.p50_us)
    return _median_table(found)


def table_of_sums(runs: Iterable[Sequence[MeasuredSum]], dtype: str, ranks_of_nodes: Sequence[int]) -> Table:
    """Return the sums of the runs of a strategy search, which sums gradients of ``dtype`` in place.

    Of several runs the median counts.
    """
    found: _Times = defaultdict(lambda: defaultdict(list))
    place = "all_reduce", arithmetic_of("all_reduce", dtype), shape_of(ranks_of_nodes), True
    for row in itertools.chain.from_iterable(runs):
        if row.transport in _CARRIERS:
            key = Key(*place, is_crowded=bool(shared_cores(sum(ranks_of_nodes), row.cores)))
            found[key, row.transport, row.algorithm][row.size_bytes].append(row.time_us)
    return _median_table(found)


def _median_table(found: _Times) -> Table:
    return _table({name: {size: median(times) for size, times in sizes.items()} for name, sizes in found.items()})


def _table(times_us: dict[tuple[Key, str, str], dict[int, float]]) -> Table:
    """Build a table; a curve with too many times keeps the newest, because its times are in order of age."""
    curves = [
        Curve(
            **key._asdict(),
            transport=transport,
            algorithm=algorithm,
            times_us=dict(sorted([*sizes.items()][-MAX_SIZES:])),
        )
        for (key, transport, algorithm), sizes in sorted(times_us.items())
    ]
    return Table(curves=tuple(curves))
