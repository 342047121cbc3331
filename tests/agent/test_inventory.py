"""A node reports its GPUs and network interfaces; NVML is a fake, as this machine may have no GPU."""

import importlib.metadata
import socket
from collections import namedtuple
from pathlib import Path

import psutil
import pytest
from tests.agent.fake_nvml import NVMLError, fake_nvml

from ringscope.contracts.inventory import Nic
from ringscope_agent import gpus, interfaces, inventory
from ringscope_agent.settings import AgentSettings

Stats = namedtuple("Stats", "isup speed flags")
Address = namedtuple("Address", "family address")


def test_gpus_and_their_versions_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpus, "pynvml", fake_nvml({0: [], 1: [42]}))
    monkeypatch.setattr(importlib.metadata, "version", {"cupy-cuda12x": "14.0", "nvidia-nccl-cu12": "2.30"}.__getitem__)
    monkeypatch.setattr(importlib.metadata, "PackageNotFoundError", KeyError)
    told = inventory.take_inventory(AgentSettings(name="n1"), []).gpus
    assert [(gpu.index, gpu.uuid, gpu.model, gpu.memory_bytes) for gpu in told] == [
        (0, "GPU-0", "NVIDIA H200", 150_754_820_096),
        (1, "GPU-1", "NVIDIA H200", 150_754_820_096),
    ]
    assert (told[0].power_limit_watts, told[0].nvlinks, told[0].has_ecc) == (None, None, None), (
        "it tells nothing of them"
    )
    versions = inventory.find_versions(None)
    wanted = {"cupy": "14.0", "nccl": "2.30", "driver": "570.86.15", "cuda": "12.8"}
    assert {name: versions[name] for name in wanted} == wanted
    assert gpus.find_processes() == [gpus.GpuProcess(pid=42, gpu=1)]


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
