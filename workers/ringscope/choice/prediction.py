"""Predict a sweep before it runs: the time of each row in the cost model, the total time, and the memory. Pure.

``ringscope.cost.prices`` compares algorithms on described links, also with the textbook's formulas. Here ranks,
transport and dtype are those of a job, and the links' parameters come from the measurements of earlier jobs. Both get
the time of a call from ``ringscope.cost.timeline``.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ringscope.choice.chooser import Chooser
from ringscope.choice.links import IN_HOST_MEMORY, STEPWISE_RANKS
from ringscope.choice.situation import Situation
from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.record import LOOPBACK
from ringscope.contracts.tuning import Table
from ringscope.contracts.words.collectives import AUTO, IN_CHANNELS, bus_factor, elements
from ringscope.contracts.words.devices import MPI_ON_GPUS, carrier, usual_channels, with_registration
from ringscope.contracts.words.dtypes import ITEMSIZE_BYTES
from ringscope.contracts.words.machine import REFERENCE, Machine
from ringscope.cost.classes import by_classes
from ringscope.cost.knee import knee_bytes
from ringscope.cost.timeline import simulate
from ringscope.schedules.algorithms import build

MAX_SIZES = 30  # only some rows of a larger sweep are returned
# A user waits for the answer: at most this many messages are followed, 1 us each, or 30 us on shared links. Between
# priced sizes the time is interpolated linearly over the bytes, as in the model while messages stay in one regime.
_MAX_MESSAGES = 10_000
_MOST_MESSAGES = 30_000  # if even the fewest sizes need more messages, nothing is predicted
_FEWEST_SIZES = 3
_MOST_SUMMED = 1_000
_AUTO_WEIGHS = 12  # it prices every algorithm
# Transports that auto may choose, by the device as far as it is known (``ringscope.engine.connect``).
_TAKEN_BY_AUTO = {
    "cpu": ("shared_memory", "mpi"),
    "cuda": ("nccl",),
    "auto": ("shared_memory", "mpi", "nccl"),
}


@dataclass(frozen=True, slots=True)
class PredictedRow:
    """One row out of place. ``chosen_algorithm`` is the algorithm that auto would choose; None for a named
    algorithm.
    """

    algorithm: str
    chosen_algorithm: str | None
    size_bytes: int
    time_us: float
    algbw_gb_per_s: float
    busbw_gb_per_s: float


@dataclass(frozen=True, slots=True)
class PredictedKnee:
    """The size at which half of an algorithm's time is latency (``ringscope.cost.knee``)."""

    algorithm: str
    size_bytes: float


@dataclass(frozen=True, slots=True)
class Prediction:
    """Prediction of a sweep by the model.

    Args: model: the source of its parameters, in a sentence. median_error: the fit's median of abs(ln(model /
    measured)); None without a fit. unfitted: algorithms that are priced with parameters from another machine.
    knees: the knees of the named algorithms that the sweep reaches. unpredicted: algorithms that the model cannot
    price here. operations_seconds: time of all operations of the sweep, checks and warm-up included; the start of
    the ranks and the comparison of results are not included. None if an algorithm is unpredicted, and for a
    simulation, which does not wait. buffer_bytes: bytes that each rank allocates for input and result of the
    largest message.
    """

    rows: tuple[PredictedRow, ...]
    knees: tuple[PredictedKnee, ...]
    model: str
    median_error: float | None
    unfitted: tuple[str, ...]
    unpredicted: tuple[str, ...]
    operations_seconds: float | None
    buffer_bytes: int


def predict(spec: BenchmarkSpec, ranks_of_nodes: Sequence[int], known: Table) -> Prediction:
    """Predict for ranks placed like this, from earlier comparable runs; a simulation has its own cluster."""
    model = _Described(spec) if spec.topology is not None else _Fitted(spec, ranks_of_nodes, known)
    told = some([*spec.sizes()], MAX_SIZES)
    curves: dict[str, list[_Call]] = {
        name: _calls(model, name, told, _priced_sizes(spec, model.ranks)) for name in spec.algorithms
    }
    rows = [_row(spec, model.ranks, call) for calls in curves.values() for call in calls]
    unpredicted = tuple(name for name, calls in curves.items() if not calls)
    return Prediction(
        rows=tuple(rows),
        knees=tuple(knee for name, calls in curves.items() if (knee := _knee(model, name, calls)) is not None),
        model=model.sentence(),
        median_error=model.median_error(),
        unfitted=tuple(name for name in curves if name in model.unfitted),
        unpredicted=unpredicted,
        operations_seconds=None if unpredicted or spec.is_simulated else _seconds(spec, model, curves),
        buffer_bytes=0 if spec.is_simulated else 2 * model.bytes_of(told[-1]),
    )


def transport_of(spec: BenchmarkSpec, nodes: int) -> str:
    """Return the transport, as far as it is known before the ranks have detected their devices."""
    on_gpus = spec.settled_device == "cuda"
    if spec.transport == "auto":
        return "nccl" if on_gpus else "shared_memory" if nodes == 1 else "mpi"
    return MPI_ON_GPUS if spec.transport == "mpi" and on_gpus else spec.transport


def may_go_over(spec: BenchmarkSpec, algorithm: str, transport: str) -> bool:
    """Return whether a row of the sweep may name this transport for ``algorithm``."""
    ways = _TAKEN_BY_AUTO[spec.settled_device] if spec.transport == "auto" else (transport_of(spec, 1),)
    own = [with_registration(way, spec.registration) if way == "nccl" else way for way in ways]
    return transport.removesuffix(f", {LOOPBACK}") in {carrier(algorithm, way) for way in own}


def is_crowded(spec: BenchmarkSpec, ranks_of_nodes: Sequence[int], machine: Machine | None) -> bool:
    """Return whether there are fewer cores than ranks, as far as that is known before the run; on GPUs cores do not
    matter.
    """
    in_host_memory = transport_of(spec, len(ranks_of_nodes)) in IN_HOST_MEMORY
    return in_host_memory and (machine or REFERENCE).ranks_per_core(max(ranks_of_nodes, default=0)) > 1


class _Call(NamedTuple):
    algorithm: str
    chosen: str | None  # chosen by auto
    size_bytes: int
    time_us: float


class _Model(ABC):
    """Prices one call after the other."""

    def __init__(self, spec: BenchmarkSpec, ranks: int) -> None:
        self.spec, self.ranks = spec, ranks
        self.unfitted: set[str] = set()  # priced with parameters from another machine

    def elements_of(self, size_bytes: int) -> int:
        """Return the elements of the larger of input and result."""
        return elements(self.spec.collective, size_bytes, ITEMSIZE_BYTES[self.spec.dtype], self.ranks)[1]

    def bytes_of(self, size_bytes: int) -> int:
        """Return the size in bytes that a row of this size states."""
        return self.elements_of(size_bytes) * ITEMSIZE_BYTES[self.spec.dtype]

    @abstractmethod
    def sentence(self) -> str:
        """Say where the model's parameters come from."""

    def median_error(self) -> float | None:
        """Return the median error of the fit; None if nothing was fitted."""
        return None

    @abstractmethod
    def call(self, name: str, size_bytes: int) -> _Call | None:
        """Return the predicted call; None for an algorithm that the model cannot price."""


class _Described(_Model):
    """The times of a described cluster: those that its simulation will give."""

    def __init__(self, spec: BenchmarkSpec) -> None:
        assert spec.topology is not None
        super().__init__(spec, spec.topology.ranks)
        self._topology = spec.topology.topology

    def sentence(self) -> str:
        return "The cost model of the described cluster; its simulation gives the same."

    def call(self, name: str, size_bytes: int) -> _Call | None:
        total, itemsize, topology = self.elements_of(size_bytes), ITEMSIZE_BYTES[self.spec.dtype], self._topology
        if self.ranks <= STEPWISE_RANKS:
            where = topology.nodes, self.spec.collective, self.spec.root, topology.rails
            schedule = build(name, self.ranks, total, *where)
            return _Call(name, None, self.bytes_of(size_bytes), simulate(schedule, itemsize, topology).seconds * 1e6)
        folded = by_classes(self.spec.collective, name, total, itemsize, topology) if self.spec.root == 0 else None
        if folded is None or folded.is_bound:
            return None
        return _Call(name, None, self.bytes_of(size_bytes), folded.seconds * 1e6)


class _Fitted(_Model):
    """The times of real ranks, with parameters fitted to measurements, or the default parameters."""

    def __init__(self, spec: BenchmarkSpec, ranks_of_nodes: Sequence[int], known: Table) -> None:
        transport = transport_of(spec, len(ranks_of_nodes))
        crowd = is_crowded(spec, ranks_of_nodes, known.machine)
        self._situation = Situation(spec.collective, spec.dtype, tuple(ranks_of_nodes), transport, is_crowded=crowd)
        super().__init__(spec, self._situation.ranks)
        self._chooser = Chooser(known)
        self._fits: dict[str, tuple[int, float | None]] = {}

    def call(self, name: str, size_bytes: int) -> _Call | None:
        size_bytes = self.bytes_of(size_bytes)
        chosen = self._chooser.choose(self._situation, size_bytes).algorithm if name == AUTO else None
        found = self._chooser.priced(self._situation, size_bytes, chosen or name)
        if self._is_in_other_channels(chosen or name):  # they are priced with the default number
            return None
        if found is None or found.is_bound:  # an upper bound is not a prediction
            return None
        self._fits[chosen or name] = found.rows, found.median_error
        if not found.rows:
            self.unfitted.add(name)
        return _Call(name, chosen, size_bytes, found.time_us)

    def _is_in_other_channels(self, name: str) -> bool:
        usual = usual_channels(self._situation.ranks_of_nodes, self._situation.transport)
        goes_in_some = (self.spec.collective, name) in IN_CHANNELS
        return goes_in_some and self.spec.channels not in (None, usual)

    def sentence(self) -> str:
        rows = sorted({rows for rows, _ in self._fits.values()})
        if not rows:
            return "The cost model cannot price these algorithms here."
        if rows == [0]:
            return (
                "The cost model with parameters from another machine: no comparable job has run undisturbed here yet."
            )
        some = ""
        if rows[0] == 0:
            some = " for some of the algorithms, with parameters from another machine for the others"
        return f"The cost model, fitted to {rows[-1]} measured rows of earlier jobs on comparable nodes{some}."

    def median_error(self) -> float | None:
        return max((error for _, error in self._fits.values() if error is not None), default=None)


def _calls(model: _Model, name: str, told: Sequence[int], priced: Sequence[int]) -> list[_Call]:
    """Return the calls of one algorithm: the priced ones, and for a named algorithm interpolations for the others."""
    known = [call for size in priced if (call := model.call(name, size)) is not None]
    if name == AUTO or not known:
        return known
    sizes = [model.bytes_of(size) for size in told]
    times_us = np.interp(sizes, [call.size_bytes for call in known], [call.time_us for call in known])
    first = known[0].size_bytes  # there is nothing to send at smaller sizes
    return [_Call(name, None, *at) for at in zip(sizes, times_us.tolist(), strict=True) if at[0] >= first]


def _knee(model: _Model, name: str, calls: Sequence[_Call]) -> PredictedKnee | None:
    """Return the knee of one algorithm; None for auto, which switches between algorithms."""
    smallest = None if name == AUTO or not calls else model.call(name, model.ranks * ITEMSIZE_BYTES[model.spec.dtype])
    if smallest is None:
        return None
    curve = [smallest, *(call for call in calls if call.size_bytes > smallest.size_bytes)]
    size_bytes = knee_bytes([call.size_bytes for call in curve], [call.time_us for call in curve])
    return None if size_bytes is None else PredictedKnee(name, size_bytes)


def _priced_sizes(spec: BenchmarkSpec, ranks: int) -> list[int]:
    each = sum(_AUTO_WEIGHS if name == AUTO else 1 for name in spec.algorithms) * 2 * ranks**2
    if each * _FEWEST_SIZES > _MOST_MESSAGES:
        return []
    return some([*spec.sizes()], max(_FEWEST_SIZES, min(MAX_SIZES, _MAX_MESSAGES // each)))


def _row(spec: BenchmarkSpec, ranks: int, call: _Call) -> PredictedRow:
    algbw = call.size_bytes / (call.time_us * 1e3) if call.time_us else 0.0
    return PredictedRow(*call, algbw, algbw * bus_factor(spec.collective, ranks))


def _seconds(spec: BenchmarkSpec, model: _Model, curves: Mapping[str, Sequence[_Call]]) -> float:
    """Return the seconds of all operations over all sizes, placements and cycles."""
    sizes = [model.bytes_of(size) for size in some([*spec.sizes()], _MOST_SUMMED)]
    means_us = [
        np.interp(sizes, [call.size_bytes for call in calls], [call.time_us for call in calls]).mean()
        for calls in curves.values()
    ]
    operations = max(spec.warmup, 1) + spec.iterations * spec.aggregate + spec.check
    return float(operations * spec.measurement_count() * sum(means_us) / len(means_us) / 1e6)


def some(sizes: Sequence[int], most: int) -> list[int]:
    """Return all values if they are few, else the smallest, the largest, and evenly spaced values between."""
    if len(sizes) <= most:
        return [*sizes]
    return [sizes[round(i * (len(sizes) - 1) / (most - 1))] for i in range(most)]
