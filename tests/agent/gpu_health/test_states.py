"""The state of each GPU is read as far as it reports it."""

import inspect
from types import SimpleNamespace

import pynvml
import pytest
from tests.agent.fake_nvml import FakeGpus, fake_nvml

from ringscope.contracts.reading import GpuState
from ringscope_agent import gpus
from ringscope_agent.gpu_health.states import find_states


def test_everything_that_a_gpu_reports_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeGpus(1)
    (gpu,) = fake.gpus
    gpu.reasons, gpu.hot_ns, gpu.ecc, gpu.rows, gpu.link_errors = (
        0x1 | 0x4 | 0x40,
        2_500_000_000,
        [7, 1],
        (2, 1, 1, 0),
        1,
    )
    gpu.links[3] = 0
    nvml = fake.nvml()
    nvml.nvmlDeviceGetFieldValues = counters
    monkeypatch.setattr(gpus, "pynvml", nvml)
    assert find_states() == [
        GpuState(
            index=0,
            uuid="GPU-0",
            model="NVIDIA H200",
            utilization_ratio=0.25,
            memory_used_bytes=1 << 30,
            temperature_celsius=61,
            power_watts=412.5,
            power_limit_watts=700,
            clock_mhz=1980,
            most_clock_mhz=1980,
            memory_clock_mhz=3201,
            slowed_by=["power_cap", "hardware_too_hot"],
            hot_seconds=2.5,
            power_capped_seconds=3,
            ecc_corrected=7,
            ecc_uncorrected=1,
            rows_remapped=3,
            is_remap_pending=True,
            has_remap_failed=False,
            nvlinks_up=17,
            nvlink_errors=17 * 3,
            nvlink_transmit_bytes=4096,
            nvlink_receive_bytes=None,
        )
    ]
    assert fake.opened == 0, "NVML stays closed, so that a GPU can be reset"


def counters(handle: int, wanted: list[tuple[int, int]]) -> list[SimpleNamespace]:
    """The bytes of all links, sent but not received; no errors of packets, which only newer GPUs count."""
    ((field, scope),) = wanted
    is_known = field == pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX
    assert not is_known or scope == 0xFFFFFFFF, "all links of the GPU together"
    return [SimpleNamespace(nvmlReturn=0 if is_known else 3, value=SimpleNamespace(ullVal=4))]


def test_links_of_newer_gpus_count_the_errors_of_packets(monkeypatch: pytest.MonkeyPatch) -> None:
    def packets(handle: int, wanted: list[tuple[int, int]]) -> list[SimpleNamespace]:
        ((field, link),) = wanted
        count = 10 if link == 2 else 0
        is_errors = field == pynvml.NVML_FI_DEV_NVLINK_COUNT_RCV_ERRORS
        return [SimpleNamespace(nvmlReturn=0 if is_errors else 3, value=SimpleNamespace(ullVal=count))]

    links = {"nvmlDeviceGetNvLinkState": lambda handle, link: 1, "nvmlDeviceGetFieldValues": packets}
    monkeypatch.setattr(gpus, "pynvml", fake_nvml({0: []}, **links))
    (state,) = find_states()
    assert (state.nvlinks_up, state.nvlink_errors) == (pynvml.NVML_NVLINK_MAX_LINKS, 10)


def test_a_gpu_that_reports_nothing_has_a_state_without_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpus, "pynvml", fake_nvml({0: []}))
    assert find_states() == [GpuState(index=0, uuid="GPU-0", model="NVIDIA H200", memory_used_bytes=1 << 30)]
    monkeypatch.setattr(gpus, "pynvml", None)
    assert find_states() == []


def test_one_gpu_off_the_bus_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeGpus(3)
    fake.lost.add(1)
    monkeypatch.setattr(gpus, "pynvml", fake.nvml())
    assert [state.index for state in find_states()] == [0, 2]
    assert [gpu.index for gpu in gpus.find_gpus()] == [0, 2]


def test_the_fake_takes_as_many_arguments_as_nvml() -> None:
    fake = FakeGpus().nvml()
    for name, function in vars(fake).items():
        if (
            name.startswith("nvml")
            and inspect.isfunction(getattr(pynvml, name, None))
            and "_" not in function.__name__[:1]
        ):
            wanted = inspect.signature(getattr(pynvml, name)).parameters.values()
            given = inspect.signature(function).parameters.values()
            if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in given):
                continue
            needed = [parameter for parameter in wanted if parameter.default is parameter.empty]
            assert len(needed) <= len(given) <= len(wanted), name
