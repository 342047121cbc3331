"""The metric families of GPUs, for nodes without dcgm-exporter."""

from collections.abc import Callable, Iterator, Sequence
from typing import get_args

from prometheus_client.core import Metric

from ringscope.contracts.metrics import agent as table
from ringscope.contracts.metrics.family import Family
from ringscope.contracts.metrics.page import Series
from ringscope.contracts.reading import GpuState, SlowReason

_FAMILIES: dict[Family, Callable[[GpuState], float | None]] = {
    table.GPU_UTILIZATION: lambda gpu: gpu.utilization_ratio,
    table.GPU_MEMORY_USED: lambda gpu: gpu.memory_used_bytes,
    table.GPU_TEMPERATURE: lambda gpu: gpu.temperature_celsius,
    table.GPU_POWER: lambda gpu: gpu.power_watts,
    table.GPU_POWER_LIMIT: lambda gpu: gpu.power_limit_watts,
    table.GPU_CLOCK: lambda gpu: gpu.clock_mhz and gpu.clock_mhz * 1e6,
    table.GPU_MOST_CLOCK: lambda gpu: gpu.most_clock_mhz and gpu.most_clock_mhz * 1e6,
    table.GPU_MEMORY_CLOCK: lambda gpu: gpu.memory_clock_mhz and gpu.memory_clock_mhz * 1e6,
    table.GPU_ROWS_REMAPPED: lambda gpu: gpu.rows_remapped,
    table.GPU_REMAP_PENDING: lambda gpu: gpu.is_remap_pending,
    table.GPU_REMAP_FAILED: lambda gpu: gpu.has_remap_failed,
    table.GPU_NVLINKS_UP: lambda gpu: gpu.nvlinks_up,
    table.GPU_NVLINK_ERRORS: lambda gpu: gpu.nvlink_errors,
    table.GPU_NVLINK_TRANSMIT: lambda gpu: gpu.nvlink_transmit_bytes,
    table.GPU_NVLINK_RECEIVE: lambda gpu: gpu.nvlink_receive_bytes,
}


def gpu_families(gpus: Sequence[GpuState]) -> Iterator[Metric]:
    """Yield one series for each GPU that reports a value, or one for each reason or kind."""
    for family, of_gpu in _FAMILIES.items():
        series = Series(family)
        for gpu in gpus:
            series.add(gpu.index, value=of_gpu(gpu))
        yield series.metric
    slowed, slowed_seconds = Series(table.GPU_SLOWED), Series(table.GPU_SLOWED_SECONDS)
    errors, xids = Series(table.GPU_ECC_ERRORS), Series(table.GPU_XIDS)
    for gpu in gpus:
        for reason in get_args(SlowReason):
            slowed.add(gpu.index, reason, value=None if gpu.slowed_by is None else reason in gpu.slowed_by)
        slowed_seconds.add(gpu.index, "heat", value=gpu.hot_seconds)
        slowed_seconds.add(gpu.index, "power", value=gpu.power_capped_seconds)
        errors.add(gpu.index, "corrected", value=gpu.ecc_corrected)
        errors.add(gpu.index, "uncorrected", value=gpu.ecc_uncorrected)
        for xid in dict.fromkeys(gpu.xids):
            xids.add(gpu.index, xid, value=1)
    yield from (slowed.metric, slowed_seconds.metric, errors.metric, xids.metric)
