"""Measured rows as a fit reads them: each is a call, whose schedule has a critical path. Pure."""

from functools import lru_cache
from typing import NamedTuple, Protocol

from ringscope.contracts.words.collectives import total_elements
from ringscope.contracts.words.topology import Link, Topology
from ringscope.cost.fitting.regimes import Regime
from ringscope.cost.timeline import Work, simulate
from ringscope.schedules.algorithms import build

_ANY_LINK = Link(0.0, 1.0)


class MeasuredRow(Protocol):
    """The columns of a row that a fit reads; ``record.Measurement`` has them."""

    @property
    def collective(self) -> str:
        """A name in ``SCHEDULED``."""

    @property
    def algorithm(self) -> str:
        """One of its algorithms."""

    @property
    def ranks(self) -> int:
        """Ranks that took part."""

    @property
    def size_bytes(self) -> int:
        """Size of the message, as nccl-tests counts it."""

    @property
    def count(self) -> int:
        """Elements, of one part where ranks own parts."""

    @property
    def p50_us(self) -> float:
        """Median time."""


class Nodes(NamedTuple):
    """Placement of ranks on nodes. With one rank on each node, or all ranks on one node, all links are equal.

    ``channels`` is the number of channels of the rows' rings and trees.
    """

    ranks_per_node: int = 1
    nics_per_node: int | None = None
    channels: int = 1

    def topology(self, ranks: int) -> Topology:
        """Return the shape with placeholder links; ValueError if the ranks do not fill the nodes."""
        return Topology(
            ranks,
            _ANY_LINK,
            _ANY_LINK,
            self.ranks_per_node,
            self.nics_per_node,
            channels=self.channels,
        )


EACH_ALONE = Nodes()


class Call(NamedTuple):
    """Return the inputs from which a row's schedule is built."""

    collective: str
    algorithm: str
    ranks: int
    elements: int
    itemsize_bytes: int
    nodes: Nodes


def call_of(row: MeasuredRow, nodes: Nodes) -> Call:
    """Return the measured call."""
    elements = total_elements(row.collective, row.count, row.ranks)
    return Call(row.collective, row.algorithm, row.ranks, elements, row.size_bytes // elements, nodes)


@lru_cache(maxsize=4096)
def work_of(call: Call, regime: Regime) -> Work:
    """Return the work on the critical path of a call, with the parameters of this regime."""
    shape = call.nodes.topology(call.ranks)
    schedule = build(call.algorithm, call.ranks, call.elements, shape.nodes, call.collective, channels=shape.rails)
    return simulate(schedule, call.itemsize_bytes, regime.on(shape)).critical_path()
