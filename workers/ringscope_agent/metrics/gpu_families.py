"""The metric families of GPUs, for nodes without dcgm-exporter."""

from collections.abc import Callable, Iterator, Sequence

from prometheus_client.core import Metric

from ringscope.contracts.metrics import agent as table
from ringscope.contracts.metrics.family import Family
from ringscope.contracts.metrics.page import Series
from ringscope_agent.gpus import GpuReading

_FAMILIES: dict[Family, Callable[[GpuReading], float | None]] = {
    table.GPU_UTILIZATION: lambda gpu: gpu.utilization_ratio,
    table.GPU_MEMORY_USED: lambda gpu: gpu.memory_used_bytes,
    table.GPU_TEMPERATURE: lambda gpu: gpu.temperature_celsius,
    table.GPU_POWER: lambda gpu: gpu.power_watts,
    table.GPU_NVLINK_TRANSMIT: lambda gpu: gpu.nvlink_transmit_bytes,
    table.GPU_NVLINK_RECEIVE: lambda gpu: gpu.nvlink_receive_bytes,
}


def gpu_families(gpus: Sequence[GpuReading]) -> Iterator[Metric]:
    """Yield one series for each GPU that reports a value."""
    for family, of_gpu in _FAMILIES.items():
        series = Series(family)
        for gpu in gpus:
            series.add(gpu.index, value=of_gpu(gpu))
        yield series.metric
