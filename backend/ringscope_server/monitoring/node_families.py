"""The metric families of nodes, their slots and GPUs."""

from collections.abc import Iterator

from prometheus_client.core import Metric

from ringscope.contracts.metrics import server as table
from ringscope.contracts.metrics.page import Series
from ringscope_server.monitoring.capacity import NODE_STATES, UNIT_STATES
from ringscope_server.monitoring.state import MonitoringState


def node_families(state: MonitoringState) -> Iterator[Metric]:
    """Yield all families."""
    for family, names, counts in (
        (table.NODES, NODE_STATES, state.node_states),
        (table.GPUS, UNIT_STATES, state.gpu_states),
        (table.SLOTS, UNIT_STATES, state.slot_states),
    ):
        series = Series(family)
        for name in names:
            series.add(name, value=counts.get(name, 0))
        yield series.metric
    up, heartbeat = Series(table.NODE_UP), Series(table.NODE_LAST_HEARTBEAT_TIMESTAMP)
    for node in state.nodes:
        up.add(node.name, value=float(node.is_up))
        heartbeat.add(node.name, value=node.last_heartbeat_at.timestamp())
    yield from (up.metric, heartbeat.metric)
