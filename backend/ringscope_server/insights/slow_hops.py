"""Slow hops: messages between two nodes that took longer on the wire than others of the same operation. Pure.

Traced operations show this message by message (``ringscope.cost.traces.wire_times``), also in a ring, where all ranks
end together. The node that two slow hops share is named; a single slow hop names no node, because either end may be
the cause.
"""

from collections.abc import Mapping, Sequence

from ringscope.contracts.record import Trace
from ringscope.contracts.words.units import format_size
from ringscope.cost.traces import slow_hops
from ringscope.cost.traces.operation_trace import Clock, joined
from ringscope.cost.traces.slow_hops import HopTime
from ringscope.cost.traces.wire_times import HopSample, hop_samples, wires
from ringscope_server.insights.kinds import Finding

MIN_MESSAGES = 2  # samples of a hop before it is judged
MAX_PENDING = 64  # operations that some rank has not reported yet; older ones are given up

_Operation = tuple[str, int, bool]


class SlowHops:
    """The data of one attempt's traced operations so far.

    Args:
        ranks: of the gang.
    """

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks
        self._pending: dict[_Operation, dict[int, tuple[Trace, Clock]]] = {}
        self._samples: list[HopSample] = []
        self._what: list[str] = []
        self._judged: tuple[float, int] | None = None  # the limit, and the number of its samples
        self._findings: list[Finding] = []

    def note(self, told: Sequence[Trace], clocks: Mapping[int, Clock]) -> None:
        """Add the ranks' reports; ``clocks`` has the clock of each of the ranks."""
        for trace in told:
            operation = trace.algorithm, trace.size_bytes, trace.in_place
            of_ranks = self._pending.setdefault(operation, {})
            of_ranks[trace.rank] = trace, clocks[trace.rank]
            if len(of_ranks) == self._ranks:
                del self._pending[operation]
                self._add([told for told, _ in of_ranks.values()], {rank: of[1] for rank, of in of_ranks.items()})
        for operation in list(self._pending)[: max(0, len(self._pending) - MAX_PENDING)]:
            del self._pending[operation]

    def judge(self, min_us: float) -> list[Finding]:
        """Return the slow hops by all reports so far; less than ``min_us`` longer does not count."""
        key = min_us, len(self._samples)
        if self._judged != key:
            self._judged, self._findings = key, self._found(min_us)
        return self._findings

    def _found(self, min_us: float) -> list[Finding]:
        hops = slow_hops.hop_times(self._samples, round(min_us * 1e3))
        links = slow_hops.slow_links([hop for hop in hops if hop.messages >= MIN_MESSAGES])
        what = " and ".join(self._what) if len(self._what) <= 2 else f"{len(self._what)} followed operations"
        found = [
            Finding("slow_link", slow_hops.node_sentence(node, of_node, what), None, node, _evidence(of_node, hops))
            for node, of_node in links.nodes.items()
        ]
        if links.hops:
            message = " ".join(slow_hops.hop_sentence(hop, what) for hop in links.hops)
            found.append(Finding("slow_link", message, evidence=_evidence(links.hops, hops)))
        return found

    def _add(self, told: Sequence[Trace], clocks: Mapping[int, Clock]) -> None:
        operation = joined(told, clocks)
        samples = hop_samples(wires(operation.rows, operation.ranks))
        what = f"{operation.executed} at {format_size(operation.size_bytes)}"
        if samples and what not in self._what:
            self._what.append(what)
        self._samples += samples


def _evidence(slow: Sequence[HopTime], hops: Sequence[HopTime]) -> dict[str, object]:
    quick = [hop.wire_ns for hop in hops if not hop.is_slow]
    return {
        "hops": [
            {
                "src": hop.hop[0],
                "dst": hop.hop[1],
                "wire_us": hop.wire_ns / 1e3,
                "times_longer": hop.ratio,
                "messages": hop.messages,
                "size_bytes": hop.bytes,
            }
            for hop in slow
        ],
        "other_hops_wire_us": max(quick) / 1e3 if quick else None,
    }
