"""This node's NVIDIA GPUs through NVML: their properties and processes. Without a driver there are none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from ringscope.contracts.inventory import Gpu

try:
    import pynvml  # type: ignore[import-untyped]
except ImportError:  # an installation without the worker extra has no GPUs to show
    pynvml = None

VISIBLE_VARIABLE = "CUDA_VISIBLE_DEVICES"

T = TypeVar("T")


@dataclass(frozen=True)
class GpuProcess:
    """A process with a compute context on a GPU."""

    pid: int
    gpu: int


def find_gpus() -> list[Gpu]:
    """Return all GPUs of this node."""
    return ask(lambda: [gpu for index, handle in handles() if (gpu := told(partial(_gpu, index, handle)))], [])


def find_uuids() -> list[str]:
    """Return what CUDA_VISIBLE_DEVICES calls the GPUs of this node: their UUIDs, or those of their slices (MIG)."""
    return ask(lambda: [uuid for _, handle in handles() for uuid in _uuids(handle)], [])


def own_gpus(gpus: Sequence[str], inherited: Mapping[str, str]) -> list[str]:
    """Return those GPUs of the node that the agent was given: all of them, unless its environment names some."""
    given = inherited.get(VISIBLE_VARIABLE)
    if given is None or not gpus:
        return list(gpus)
    return [name for one in given.split(",") if (name := one.strip())]


def find_versions() -> dict[str, str]:
    """Return the versions of the driver and of the newest CUDA that it supports."""
    return ask(_versions, {})


def find_processes() -> list[GpuProcess]:
    """Return every process with a compute context on one of the GPUs; a desktop's graphics do not count."""
    return ask(
        lambda: [
            GpuProcess(int(process.pid), index)
            for index, handle in handles()
            for process in pynvml.nvmlDeviceGetComputeRunningProcesses(handle)
        ],
        [],
    )


def nvml() -> Any:
    """Return the module of NVML; None without the worker extra."""
    return pynvml


def ask(question: Callable[[], T], otherwise: T) -> T:
    """Return the answer of NVML; without a driver, or if it fails, ``otherwise``."""
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


def handles() -> list[tuple[int, object]]:
    """Return the index and NVML's handle of each GPU; only within ``ask``."""
    found = [(index, told(partial(_handle, index))) for index in range(pynvml.nvmlDeviceGetCount())]
    return [(index, handle) for index, handle in found if handle is not None]  # one that fell off the bus has none


def _handle(index: int) -> object:
    return pynvml.nvmlDeviceGetHandleByIndex(index)


def _uuids(handle: object) -> list[str]:
    slices = told(lambda: int(pynvml.nvmlDeviceGetMaxMigDeviceCount(handle))) or 0
    found = [told(partial(_slice_uuid, handle, number)) for number in range(slices)]
    return [uuid for uuid in found if uuid] or [str(pynvml.nvmlDeviceGetUUID(handle))]


def _slice_uuid(handle: object, number: int) -> str:
    return str(pynvml.nvmlDeviceGetUUID(pynvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, number)))


def _gpu(index: int, handle: object) -> Gpu:
    return Gpu(
        index=index,
        uuid=str(pynvml.nvmlDeviceGetUUID(handle)),
        model=str(pynvml.nvmlDeviceGetName(handle)),
        memory_bytes=int(pynvml.nvmlDeviceGetMemoryInfo(handle).total),
        power_limit_watts=told(lambda: pynvml.nvmlDeviceGetEnforcedPowerLimit(handle) / 1000),
        most_clock_mhz=told(lambda: int(pynvml.nvmlDeviceGetMaxClockInfo(handle, pynvml.NVML_CLOCK_SM))),
        nvlinks=len(links) if (links := links_up(handle)) is not None else None,
        has_ecc=told(lambda: bool(pynvml.nvmlDeviceGetEccMode(handle)[0])),
    )


def links_up(handle: object) -> list[int] | None:
    """Return the numbers of a GPU's active NVLinks; None if it has no NVLink."""
    numbers = range(pynvml.NVML_NVLINK_MAX_LINKS)
    states = [told(partial(pynvml.nvmlDeviceGetNvLinkState, handle, link)) for link in numbers]
    if all(state is None for state in states):
        return None
    return [link for link, state in enumerate(states) if state]


def told(question: Callable[[], T | None]) -> T | None:
    """Return the answer; None if this model or driver has none."""
    try:
        return question()
    except pynvml.NVMLError:
        return None


def _versions() -> dict[str, str]:
    cuda = int(pynvml.nvmlSystemGetCudaDriverVersion())  # 12040 is 12.4
    return {"driver": str(pynvml.nvmlSystemGetDriverVersion()), "cuda": f"{cuda // 1000}.{cuda % 1000 // 10}"}
