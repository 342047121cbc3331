"""A node reports its GPUs and network interfaces; NVML is a fake, as this machine may have no GPU."""

import importlib.metadata
import socket
from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from ringscope.contracts.inventory import Nic
from ringscope_agent import gpus, interfaces, inventory
from ringscope_agent.settings import AgentSettings

Stats = namedtuple("Stats", "isup speed flags")
Address = namedtuple("Address", "family address")


class NVMLError(Exception):
    pass


def fake_nvml(processes: dict[int, list[int]], **changes: Any) -> SimpleNamespace:
    """NVML with one GPU per entry of ``processes``, which are pids by the GPU's index."""
    functions = {
        "NVMLError": NVMLError,
        "nvmlInit": lambda: None,
        "nvmlShutdown": lambda: None,
        "nvmlDeviceGetCount": lambda: len(processes),
        "nvmlDeviceGetHandleByIndex": lambda index: index,
        "nvmlDeviceGetUUID": lambda handle: f"GPU-{handle}",
        "nvmlDeviceGetName": lambda handle: "NVIDIA H200",
        "nvmlDeviceGetMemoryInfo": lambda handle: SimpleNamespace(total=150_754_820_096),
        "nvmlDeviceGetComputeRunningProcesses": lambda handle: [SimpleNamespace(pid=pid) for pid in processes[handle]],
        "nvmlSystemGetDriverVersion": lambda: "570.86.15",
        "nvmlSystemGetCudaDriverVersion": lambda: 12080,
    }
    return SimpleNamespace(**(functions | changes))


def test_gpus_and_their_versions_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpus, "pynvml", fake_nvml({0: [], 1: [42]}))
    monkeypatch.setattr(importlib.metadata, "version", {"cupy-cuda12x": "14.0", "nvidia-nccl-cu12": "2.30"}.__getitem__)
    monkeypatch.setattr(importlib.metadata, "PackageNotFoundError", KeyError)
    told = inventory.take_inventory(AgentSettings(name="n1"), []).gpus
    assert [(gpu.index, gpu.uuid, gpu.model, gpu.memory_bytes) for gpu in told] == [
        (0, "GPU-0", "NVIDIA H200", 150_754_820_096),
        (1, "GPU-1", "NVIDIA H200", 150_754_820_096),
    ]
    versions = inventory.find_versions(None)
    wanted = {"cupy": "14.0", "nccl": "2.30", "driver": "570.86.15", "cuda": "12.8"}
    assert {name: versions[name] for name in wanted} == wanted
    assert gpus.find_processes() == [gpus.GpuProcess(pid=42, gpu=1)]


def test_what_a_gpu_does_is_read_as_far_as_it_can_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_meter(handle: int) -> int:
        raise NVMLError

    def counters(handle: int, wanted: list[tuple[int, int]]) -> list[SimpleNamespace]:
        (field, scope), *_ = wanted
        assert scope == 0xFFFFFFFF, "all links of the GPU together"
        kib = {138: 4, 139: 3}[field]
        return [SimpleNamespace(nvmlReturn=0 if field == 138 else 3, value=SimpleNamespace(ullVal=kib))]

    nvml = fake_nvml(
        {0: []},
        NVML_SUCCESS=0,
        NVML_TEMPERATURE_GPU=0,
        NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX=138,
        NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX=139,
        nvmlDeviceGetUtilizationRates=lambda handle: SimpleNamespace(gpu=25),
        nvmlDeviceGetMemoryInfo=lambda handle: SimpleNamespace(used=1 << 30),
        nvmlDeviceGetTemperature=lambda handle, sensor: 61,
        nvmlDeviceGetPowerUsage=no_meter,
        nvmlDeviceGetFieldValues=counters,
    )
    monkeypatch.setattr(gpus, "pynvml", nvml)
    assert gpus.find_readings() == [gpus.GpuReading(0, 0.25, 1 << 30, 61, None, 4096, None)]
    monkeypatch.setattr(gpus, "pynvml", None)
    assert gpus.find_readings() == []


def test_a_node_without_a_driver_has_no_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_driver() -> None:
        raise NVMLError

    for nvml in (None, fake_nvml({0: [1]}, nvmlInit=no_driver), fake_nvml({0: [1]}, nvmlDeviceGetCount=no_driver)):
        monkeypatch.setattr(gpus, "pynvml", nvml)
        assert (gpus.find_gpus(), gpus.find_processes()) == ([], [])
    monkeypatch.setattr(gpus, "pynvml", None)
    assert inventory.find_versions(None).keys().isdisjoint({"driver", "cuda"})


def test_interfaces_that_are_up_are_told_with_speed_and_addresses(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    up, down = "up,running", "broadcast"
    stats = {
        "lo": Stats(True, 0, "up,loopback,running"),
        "ib0": Stats(True, 200_000, up),
        "eth1": Stats(False, 0, down),
        "eth0": Stats(True, 0, up),
        "veth7": Stats(True, 10_000, up),
    }
    for name, parts in (("ib0", "device"), ("eth0", "device"), ("veth7", "queues")):
        (tmp_path / name / parts).mkdir(parents=True)
    monkeypatch.setattr(interfaces, "_INTERFACES", tmp_path)
    addresses = {
        "eth0": [Address(socket.AF_INET, "10.0.0.2"), Address(psutil.AF_LINK, "02:fc:00:00:00:01")],
        "ib0": [Address(socket.AF_INET6, "fe80::1%ib0")],
    }
    monkeypatch.setattr(psutil, "net_if_stats", lambda: stats)
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: addresses)
    assert inventory.take_inventory(AgentSettings(name="n1"), []).nics == [
        Nic(name="eth0", speed_mbit_per_s=None, addresses=["10.0.0.2"]),
        Nic(name="ib0", speed_mbit_per_s=200_000, addresses=["fe80::1"]),
        Nic(name="veth7", speed_mbit_per_s=10_000, is_virtual=True),
    ]
    given = AgentSettings(name="n1", address="10.0.0.2", link_speed="80Mbit/s")
    assert {nic.name: nic.speed_mbit_per_s for nic in inventory.take_inventory(given, []).nics} == {
        "eth0": 80,
        "ib0": 200_000,
        "veth7": 10_000,
    }
