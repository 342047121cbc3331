"""Counters of the content of a batch of records."""

import numpy as np

from ringscope_server.monitoring.state import MonitoringState
from ringscope_server.telemetry.ingest import Ingested


def count_ingested(
    state: MonitoringState, job_id: int, ingested: Ingested, committed_ns: int, node_offset_seconds: float
) -> None:
    """Count a batch after its commit. The offset is the node's clock minus the server's."""
    state.ingested.update(ingested.counts)
    state.rejected["malformed"] += ingested.rejected
    if ingested.spans:
        # Steps are told when their block is over: what the earlier ones waited for it is no delay.
        ends_ns = np.asarray([span.end_ns for span in ingested.spans])
        delays = (committed_ns - ends_ns) * 1e-9 + node_offset_seconds
        state.ingest_delays.observe(np.maximum(delays, 0.0))  # clocks err by more than the network takes
    for span in ingested.spans:
        state.goodput.note(job_id, span.rank, span.start_ns, span.end_ns, span.seconds)
    if ingested.is_training:
        state.losses[job_id] = ingested.loss
