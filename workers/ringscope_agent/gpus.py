"""This node's NVIDIA GPUs through NVML: their properties, processes and load. Without a driver there are none."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from ringscope.contracts.inventory import Gpu

try:
    import pynvml  # type: ignore[import-untyped]
except ImportError:  # an installation without the worker extra has no GPUs to show
    pynvml = None

T = TypeVar("T")
_ALL_LINKS = 0xFFFFFFFF  # the scope of a link's counter


@dataclass(frozen=True)
class GpuProcess:
    """A process with a compute context on a GPU."""

    pid: int
    gpu: int


@dataclass(frozen=True)
class GpuReading:
    """The state of a GPU now; None for what it does not report."""

    index: int
    utilization_ratio: float | None
    memory_used_bytes: int | None
    temperature_celsius: int | None
    power_watts: float | None
    nvlink_transmit_bytes: int | None
    nvlink_receive_bytes: int | None


def find_gpus() -> list[Gpu]:
    """Return all GPUs of this node."""
    return _ask(lambda: [_gpu(index, handle) for index, handle in _handles()], [])


def find_uuids() -> list[str]:
    """Return what CUDA_VISIBLE_DEVICES calls the GPUs of this node: their UUIDs, or those of their slices (MIG)."""
    return _ask(lambda: [uuid for _, handle in _handles() for uuid in _uuids(handle)], [])


def find_versions() -> dict[str, str]:
    """Return the versions of the driver and of the newest CUDA that it supports."""
    return _ask(_versions, {})


def find_processes() -> list[GpuProcess]:
    """Return every process with a compute context on one of the GPUs; a desktop's graphics do not count."""
    return _ask(
        lambda: [
            GpuProcess(int(process.pid), index)
            for index, handle in _handles()
            for process in pynvml.nvmlDeviceGetComputeRunningProcesses(handle)
        ],
        [],
    )


def find_readings() -> list[GpuReading]:
    """Return what every GPU does now; this takes some milliseconds for each."""
    return _ask(lambda: [_reading(index, handle) for index, handle in _handles()], [])


def _ask(question: Callable[[], T], otherwise: T) -> T:
    if pynvml is None:
        return otherwise
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:  # no driver, so no NVIDIA GPU
        return otherwise
    try:
        return question()
    except pynvml.NVMLError:
        return otherwise
    finally:
        pynvml.nvmlShutdown()


def _handles() -> list[tuple[int, object]]:
    return [(index, pynvml.nvmlDeviceGetHandleByIndex(index)) for index in range(pynvml.nvmlDeviceGetCount())]


def _uuids(handle: object) -> list[str]:
    slices = _told(lambda: int(pynvml.nvmlDeviceGetMaxMigDeviceCount(handle))) or 0
    found = [_told(partial(_slice_uuid, handle, number)) for number in range(slices)]
    return [uuid for uuid in found if uuid] or [str(pynvml.nvmlDeviceGetUUID(handle))]


def _slice_uuid(handle: object, number: int) -> str:
    return str(pynvml.nvmlDeviceGetUUID(pynvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, number)))


def _gpu(index: int, handle: object) -> Gpu:
    return Gpu(
        index=index,
        uuid=str(pynvml.nvmlDeviceGetUUID(handle)),
        model=str(pynvml.nvmlDeviceGetName(handle)),
        memory_bytes=int(pynvml.nvmlDeviceGetMemoryInfo(handle).total),
    )


def _reading(index: int, handle: object) -> GpuReading:
    return GpuReading(
        index=index,
        utilization_ratio=_told(lambda: pynvml.nvmlDeviceGetUtilizationRates(handle).gpu / 100),
        memory_used_bytes=_told(lambda: int(pynvml.nvmlDeviceGetMemoryInfo(handle).used)),
        temperature_celsius=_told(lambda: int(pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU))),
        power_watts=_told(lambda: pynvml.nvmlDeviceGetPowerUsage(handle) / 1000),
        nvlink_transmit_bytes=_told(lambda: _nvlink_bytes(handle, pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX)),
        nvlink_receive_bytes=_told(lambda: _nvlink_bytes(handle, pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX)),
    )


def _told(question: Callable[[], T | None]) -> T | None:
    """Return the answer; None if this model or driver has none."""
    try:
        return question()
    except pynvml.NVMLError:
        return None


def _nvlink_bytes(handle: object, field: int) -> int | None:
    """Return a counter summed over all links in bytes; NVML keeps it in KiB."""
    (told,) = pynvml.nvmlDeviceGetFieldValues(handle, [(field, _ALL_LINKS)])
    return int(told.value.ullVal) * 1024 if told.nvmlReturn == pynvml.NVML_SUCCESS else None


def _versions() -> dict[str, str]:
    cuda = int(pynvml.nvmlSystemGetCudaDriverVersion())  # 12040 is 12.4
    return {"driver": str(pynvml.nvmlSystemGetDriverVersion()), "cuda": f"{cuda // 1000}.{cuda % 1000 // 10}"}
