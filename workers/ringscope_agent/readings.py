"""The load of this node for the server's pages. It is cheap enough for every heartbeat: GPUs are read elsewhere."""

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

import psutil

from ringscope.contracts.reading import GpuState, Reading
from ringscope_agent.interfaces import is_virtual

T = TypeVar("T", int, float)


def node_reading(gpus: Sequence[GpuState] | None) -> Reading:
    """Return the reading of this moment; for GPUs, the newest known one, or None if nobody reads them."""
    return Reading(
        load_average=os.getloadavg()[0],
        memory_used_bytes=psutil.virtual_memory().used,
        network_bytes=_network_bytes(),
        gpu_utilization_ratio=_over(_mean, [gpu.utilization_ratio for gpu in gpus or ()]),
        gpu_memory_used_bytes=_over(sum, [gpu.memory_used_bytes for gpu in gpus or ()]),
        gpu_temperature_celsius=_over(max, [gpu.temperature_celsius for gpu in gpus or ()]),
    )


def _network_bytes() -> int | None:
    """Return what the cards have sent and received: virtual interfaces, which pass it on, count only without a card."""
    counts = {
        name: sent_received for name, sent_received in psutil.net_io_counters(pernic=True).items() if name != "lo"
    }
    cards = {name: count for name, count in counts.items() if not is_virtual(name)} or counts
    return sum(count.bytes_sent + count.bytes_recv for count in cards.values()) if cards else None


def _over(how: Callable[[list[T]], T], values: list[T | None]) -> T | None:
    """Apply ``how`` to the values that are not None; None if there are none."""
    told = [value for value in values if value is not None]
    return how(told) if told else None


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
