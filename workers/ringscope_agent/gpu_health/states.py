"""The states of this node's GPUs, through NVML: load, clocks, memory errors and NVLinks."""

from collections.abc import Callable, Iterable
from functools import partial

from ringscope.contracts.reading import GpuState, SlowReason
from ringscope_agent import gpus
from ringscope_agent.gpus import told

_ALL_LINKS = 0xFFFFFFFF  # the scope of a link's counter
_NANOSECONDS = 1e9
# Bits of nvmlDeviceGetCurrentClocksEventReasons. Hardware slowdown is also set for a moment while a clock changes.
_REASONS: dict[int, SlowReason] = {
    0x04: "power_cap",
    0x08: "hardware",
    0x10: "sync_boost",
    0x20: "too_hot",
    0x40: "hardware_too_hot",
    0x80: "power_brake",
}


def find_states() -> list[GpuState]:
    """Return the state of every GPU that answers; this takes some milliseconds for each."""
    return gpus.ask(
        lambda: [state for index, handle in gpus.handles() if (state := told(partial(_state, index, handle)))], []
    )


def _state(index: int, handle: object) -> GpuState:
    nvml = gpus.nvml()
    up = gpus.links_up(handle)
    return GpuState(
        index=index,
        uuid=str(nvml.nvmlDeviceGetUUID(handle)),
        model=str(nvml.nvmlDeviceGetName(handle)),
        utilization_ratio=told(lambda: nvml.nvmlDeviceGetUtilizationRates(handle).gpu / 100),
        memory_used_bytes=told(lambda: int(nvml.nvmlDeviceGetMemoryInfo(handle).used)),
        temperature_celsius=told(lambda: int(nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU))),
        power_watts=told(lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1000),
        power_limit_watts=told(lambda: nvml.nvmlDeviceGetEnforcedPowerLimit(handle) / 1000),
        clock_mhz=told(lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM)),
        most_clock_mhz=told(lambda: nvml.nvmlDeviceGetMaxClockInfo(handle, nvml.NVML_CLOCK_SM)),
        memory_clock_mhz=told(lambda: nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM)),
        slowed_by=told(lambda: _reasons(nvml.nvmlDeviceGetCurrentClocksEventReasons(handle))),
        hot_seconds=told(lambda: _seconds(handle, nvml.NVML_PERF_POLICY_THERMAL)),
        power_capped_seconds=told(lambda: _seconds(handle, nvml.NVML_PERF_POLICY_POWER)),
        ecc_corrected=told(lambda: _ecc_errors(handle, nvml.NVML_MEMORY_ERROR_TYPE_CORRECTED)),
        ecc_uncorrected=told(lambda: _ecc_errors(handle, nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED)),
        **_replaced(handle),
        nvlinks_up=len(up) if up is not None else None,
        nvlink_errors=_link_errors(handle, up) if up else None,
        nvlink_transmit_bytes=told(lambda: _nvlink_bytes(handle, nvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX)),
        nvlink_receive_bytes=told(lambda: _nvlink_bytes(handle, nvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX)),
    )


def _reasons(bits: int) -> list[SlowReason]:
    return [reason for bit, reason in _REASONS.items() if bits & bit]


def _seconds(handle: object, policy: int) -> float:
    return float(gpus.nvml().nvmlDeviceGetViolationStatus(handle, policy).violationTime) / _NANOSECONDS


def _ecc_errors(handle: object, kind: int) -> int:
    nvml = gpus.nvml()
    return int(nvml.nvmlDeviceGetTotalEccErrors(handle, kind, nvml.NVML_VOLATILE_ECC))


def _replaced(handle: object) -> dict[str, int | bool | None]:
    """Return the fields about replaced memory: rows since Ampere, pages before."""
    nvml = gpus.nvml()
    if (rows := told(lambda: nvml.nvmlDeviceGetRemappedRows(handle))) is not None:
        corrected, uncorrected, is_pending, has_failed = rows
        return {
            "rows_remapped": corrected + uncorrected,
            "is_remap_pending": bool(is_pending),
            "has_remap_failed": bool(has_failed),
        }
    return {"is_remap_pending": told(lambda: bool(nvml.nvmlDeviceGetRetiredPagesPendingStatus(handle)))}


def _link_errors(handle: object, links: Iterable[int]) -> int | None:
    """Return the errors over all links; GPUs since Blackwell count those of received packets only."""
    nvml = gpus.nvml()
    of_links = (
        nvml.NVML_NVLINK_ERROR_DL_REPLAY,
        nvml.NVML_NVLINK_ERROR_DL_RECOVERY,
        nvml.NVML_NVLINK_ERROR_DL_CRC_FLIT,
    )
    counts: list[Callable[[], int | None]] = []
    for link in links:
        counts += [partial(nvml.nvmlDeviceGetNvLinkErrorCounter, handle, link, kind) for kind in of_links]
        counts += [partial(_link_field, handle, link, nvml.NVML_FI_DEV_NVLINK_COUNT_RCV_ERRORS)]
    known = [count for question in counts if (count := told(question)) is not None]
    return sum(known) if known else None


def _link_field(handle: object, link: int, field: int) -> int | None:
    (answer,) = gpus.nvml().nvmlDeviceGetFieldValues(handle, [(field, link)])
    return int(answer.value.ullVal) if answer.nvmlReturn == gpus.nvml().NVML_SUCCESS else None


def _nvlink_bytes(handle: object, field: int) -> int | None:
    """Return a counter summed over all links in bytes; NVML keeps it in KiB."""
    count = _link_field(handle, _ALL_LINKS, field)
    return count * 1024 if count is not None else None
