"""The cost model's parameters for one machine, by regimes of the message size, and prices of schedules with them. Pure.

Real links behave differently at different message sizes (eager and rendezvous protocols, caches), so parameters may
apply only below a message size, as in parameterised LogP (Kielmann et al. 2000). ``ringscope.cost.fitting.fit`` finds
them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ringscope.contracts.words.topology import Link, Topology
from ringscope.cost.timeline import Timeline, Work, simulate
from ringscope.schedules.schedule import Schedule

T = TypeVar("T")
_ROUNDS = 8
_FREE_BYTES_PER_S = 1e18  # represents a link that takes no time per byte


@dataclass(frozen=True, slots=True)
class Regime:
    """Parameters for messages of less than ``below_bytes``; all are seconds, or seconds per byte.

    ``reduce_s_per_byte`` is None if the rows do not separate γ from β (one algorithm always sends and adds in the same
    proportion); adding is then part of β. The ``intra`` pair is for links inside a node, and the other pair is then for
    links between nodes; None if all ranks are joined by equal links.
    """

    below_bytes: float
    latency_s: float
    send_s_per_byte: float
    reduce_s_per_byte: float | None
    intra_latency_s: float | None = None
    intra_send_s_per_byte: float | None = None

    def seconds(self, work: Work) -> float:
        """Return the time of a critical path."""
        adding_s = work.reduced_bytes * (self.reduce_s_per_byte or 0.0)
        if self.intra_latency_s is None or self.intra_send_s_per_byte is None:
            return (
                work.messages * self.latency_s + (work.inter.bytes + work.intra.bytes) * self.send_s_per_byte + adding_s
            )
        return (
            work.inter.messages * self.latency_s
            + work.inter.bytes * self.send_s_per_byte
            + work.intra.messages * self.intra_latency_s
            + work.intra.bytes * self.intra_send_s_per_byte
            + adding_s
        )

    @property
    def inter(self) -> Link:
        """Return the link between nodes, or between any two ranks."""
        return _link(self.latency_s, self.send_s_per_byte)

    @property
    def intra(self) -> Link | None:
        """Return the link inside a node."""
        if self.intra_latency_s is None or self.intra_send_s_per_byte is None:
            return None
        return _link(self.intra_latency_s, self.intra_send_s_per_byte)

    def on(self, topology: Topology) -> Topology:
        """Return a topology of the same shape with these links; it keeps its own links inside nodes if the regime
        has none.
        """
        adding = 1 / self.reduce_s_per_byte if self.reduce_s_per_byte else None
        return replace(topology, inter=self.inter, intra=self.intra or topology.intra, reduce_bytes_per_s=adding)


def regime_of(regimes: Sequence[Regime], message_bytes: float) -> Regime:
    """Return the regime for messages of this size."""
    return next(regime for regime in regimes if message_bytes < regime.below_bytes)


def message_bytes(work: Work) -> float:
    """Return the mean size of the messages on a critical path."""
    return work.sent_bytes / max(work.messages, 1)


def timeline(regimes: Sequence[Regime], schedule: Schedule, itemsize_bytes: int, topology: Topology) -> Timeline:
    """Price a schedule on a topology of this shape, with the parameters of its own messages' regime."""

    def price(topology: Topology) -> tuple[Timeline, float]:
        found = simulate(schedule, itemsize_bytes, topology)
        return found, message_bytes(found.critical_path())

    return in_regime(regimes, topology, price)


def in_regime(regimes: Sequence[Regime], topology: Topology, price: Callable[[Topology], tuple[T, float]]) -> T:
    """Return the result of ``price`` in the regime of the message size that ``price`` returns with it.

    The critical chain of messages depends on the parameters, so this takes several rounds.
    """
    regime = regimes[-1]
    found, size_bytes = price(regime.on(topology))
    for _ in range(_ROUNDS):
        theirs = regime_of(regimes, size_bytes)
        if theirs == regime:
            break
        regime = theirs
        found, size_bytes = price(regime.on(topology))
    return found


def _link(latency_s: float, send_s_per_byte: float) -> Link:
    return Link(latency_s, 1 / send_s_per_byte if send_s_per_byte else _FREE_BYTES_PER_S)
