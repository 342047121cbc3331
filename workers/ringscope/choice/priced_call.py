"""Price one call of a job: on the cluster it describes, otherwise with parameters fitted to its rows. Pure.

If it has too few rows for a fit, the engine's defaults are used; the text with a price names the source.
"""

from collections.abc import Sequence
from functools import partial
from itertools import accumulate

from ringscope.choice.links import DEFAULTS, timeline_on, topology_at
from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.operation_trace import TracedOperation
from ringscope.contracts.words.collectives import PER_RANK, SCHEDULED
from ringscope.contracts.words.devices import usual_channels
from ringscope.contracts.words.dtypes import ITEMSIZE_BYTES
from ringscope.cost.fitting.fit import Fit, fit
from ringscope.cost.fitting.measured_rows import MeasuredRow
from ringscope.cost.fitting.regimes import timeline
from ringscope.cost.fitting.samples import even
from ringscope.cost.timeline import Timeline, simulate
from ringscope.cost.traces.operation_trace import PricedCall
from ringscope.schedules.algorithms import build
from ringscope.schedules.schedule import Schedule

_MAX_REGIMES = 3
_MAX_FITTED_RANKS = 32  # a fit prices their schedules repeatedly
# A user waits for the answer: at most this many messages are priced, 1 to 30 us each; a fit prices as many in each of
# its rounds.
_MAX_MESSAGES = 20_000


def executed_schedule(
    operation: TracedOperation,
    ranks_of_nodes: Sequence[int],
    root: int,
    cluster: ClusterSpec | None,
    channels: int | None = None,
) -> Schedule | None:
    """Return the schedule of ranks placed like this, in rank order; a ``cluster`` is only simulated.

    ``channels`` is the number requested by the job. None: this version does not know such an operation.
    """
    if operation.executed not in SCHEDULED.get(operation.collective, ()) or operation.dtype not in ITEMSIZE_BYTES:
        return None
    ends = list(accumulate(ranks_of_nodes))
    nodes = [list(range(end - count, end)) for end, count in zip(ends, ranks_of_nodes, strict=True)]
    channels = channels or usual_channels(ranks_of_nodes, operation.transport)
    if cluster is not None:
        nodes, channels = cluster.topology.nodes, cluster.topology.rails
    count = operation.size_bytes // ITEMSIZE_BYTES[operation.dtype]
    return build(operation.executed, sum(map(len, nodes)), count, nodes, operation.collective, root, channels)


def priced_call(
    operation: TracedOperation,
    schedule: Schedule,
    ranks_of_nodes: Sequence[int],
    rows: Sequence[MeasuredRow],
    cluster: ClusterSpec | None,
) -> PricedCall | None:
    """The model's timeline of a call; None: there are no parameters, or more messages than can be priced at once.

    ``rows`` are the job's rows of the same algorithm over the same transport. They are empty for a job with an explicit
    number of channels, because a fit assumes the default number.
    """
    itemsize = ITEMSIZE_BYTES[operation.dtype]
    if _messages(schedule) > _MAX_MESSAGES:
        return None
    if cluster is not None:
        return PricedCall(simulate(schedule, itemsize, cluster.topology), "of the simulated cluster")
    found = _fitted(_few(rows), ranks_of_nodes)
    if found is not None:
        priced = timeline(found.regimes, schedule, itemsize, found.nodes.topology(schedule.ranks))
        return PricedCall(priced, f"fitted to {len(found.rows)} rows of this job")
    if operation.transport not in DEFAULTS:
        return None
    return PricedCall(
        _by_default(schedule, itemsize, ranks_of_nodes, operation.transport),
        f"the engine's defaults for {operation.transport}, which were not measured here",
    )


def _messages(schedule: Schedule) -> int:
    return sum(1 for _ in schedule.transfers())


def _few(rows: Sequence[MeasuredRow]) -> Sequence[MeasuredRow]:
    """Select as many rows as can be priced, spread evenly over all sizes."""
    if not rows:
        return rows
    largest = max(rows, key=lambda row: row.count)
    elements = largest.count * (largest.ranks if largest.collective in PER_RANK else 1)
    each = _messages(build(largest.algorithm, largest.ranks, elements, None, largest.collective))
    return rows[:: -(-len(rows) * each // _MAX_MESSAGES) or 1]


def _fitted(rows: Sequence[MeasuredRow], ranks_of_nodes: Sequence[int]) -> Fit | None:
    """Fit parameters to the rows; None if the rows or the placement of ranks do not determine them."""
    nodes = even(ranks_of_nodes)
    if nodes is None or sum(ranks_of_nodes) > _MAX_FITTED_RANKS:
        return None
    try:
        return fit(rows, _MAX_REGIMES, nodes)
    except ValueError:
        return None


def _by_default(schedule: Schedule, itemsize: int, ranks_of_nodes: Sequence[int], transport: str) -> Timeline:
    inside, between = DEFAULTS[transport]
    return timeline_on(partial(topology_at, tuple(ranks_of_nodes), inside, between), schedule, itemsize)
