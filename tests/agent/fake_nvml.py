"""A fake of NVML's Python module, as this machine may have no GPU; test_states compares its signatures."""

from types import SimpleNamespace
from typing import Any

import pynvml

H200_BYTES = 150_754_820_096


class NVMLError(Exception):
    pass


def fake_nvml(processes: dict[int, list[int]], **changes: Any) -> SimpleNamespace:
    """Return NVML with one GPU per entry of ``processes``, which are pids by the GPU's index; handles are indices.

    ``changes`` replace functions. A GPU answers only what is here or in ``changes``: every other question has the
    error of a GPU that does not report it.
    """
    names = {
        name: getattr(pynvml, name) for name in dir(pynvml) if name.startswith(("NVML_", "nvmlClocks", "nvmlEventType"))
    }
    unsupported = {
        name: no_answer for name in dir(pynvml) if name.startswith(("nvmlDevice", "nvmlSystem", "nvmlEventSet"))
    }
    functions = {
        "NVMLError": NVMLError,
        "nvmlInit": lambda: None,
        "nvmlShutdown": lambda: None,
        "nvmlDeviceGetCount": lambda: len(processes),
        "nvmlDeviceGetHandleByIndex": lambda index: index,
        "nvmlDeviceGetUUID": lambda handle: f"GPU-{handle}",
        "nvmlDeviceGetName": lambda handle: "NVIDIA H200",
        "nvmlDeviceGetMemoryInfo": lambda handle: SimpleNamespace(total=H200_BYTES, used=1 << 30),
        "nvmlDeviceGetComputeRunningProcesses": lambda handle: [SimpleNamespace(pid=pid) for pid in processes[handle]],
        "nvmlSystemGetDriverVersion": lambda: "570.86.15",
        "nvmlSystemGetCudaDriverVersion": lambda: 12080,
    }
    return SimpleNamespace(**(names | unsupported | functions | changes))


def no_answer(*_: object) -> Any:
    """Refuse a question as a GPU does that does not report it."""
    raise NVMLError


class FakeGpus:
    """The health of GPUs, by their index, which a test changes while they are watched."""

    def __init__(self, count: int = 2) -> None:
        self.gpus = [
            SimpleNamespace(
                celsius=61,
                watts=412.5,
                clock=1980,
                reasons=0,
                hot_ns=0,
                capped_ns=3_000_000_000,
                ecc=[0, 0],
                rows=(1, 0, 0, 0),
                links=[1] * 18,
                link_errors=0,
            )
            for _ in range(count)
        ]
        self.events: list[tuple[int, int]] = []
        self.listening: list[int] = []
        self.lost: set[int] = set()
        self.opened = 0

    def nvml(self) -> SimpleNamespace:
        """Return the module."""
        return fake_nvml(
            {index: [] for index in range(len(self.gpus))},
            nvmlInit=lambda: self._open(1),
            nvmlShutdown=lambda: self._open(-1),
            nvmlDeviceGetHandleByIndex=self._handle,
            nvmlDeviceGetUtilizationRates=lambda handle: SimpleNamespace(gpu=25),
            nvmlDeviceGetTemperature=lambda handle, sensor: self.gpus[handle].celsius,
            nvmlDeviceGetPowerUsage=lambda handle: self.gpus[handle].watts * 1000,
            nvmlDeviceGetEnforcedPowerLimit=lambda handle: 700_000,
            nvmlDeviceGetClockInfo=lambda handle, clock: {1: self.gpus[handle].clock, 2: 3201}[clock],
            nvmlDeviceGetMaxClockInfo=lambda handle, clock: 1980,
            nvmlDeviceGetCurrentClocksEventReasons=lambda handle: self.gpus[handle].reasons,
            nvmlDeviceGetViolationStatus=self._violation,
            nvmlDeviceGetTotalEccErrors=lambda handle, kind, since: self.gpus[handle].ecc[kind],
            nvmlDeviceGetEccMode=lambda handle: [1, 1],
            nvmlDeviceGetRemappedRows=lambda handle: self.gpus[handle].rows,
            nvmlDeviceGetNvLinkState=self._link,
            nvmlDeviceGetNvLinkErrorCounter=lambda handle, link, kind: self.gpus[handle].link_errors,
            nvmlEventSetCreate=lambda: "events",
            nvmlDeviceRegisterEvents=lambda handle, kinds, events: self.listening.append(handle),
            nvmlEventSetWait_v2=self._event,
            nvmlEventSetFree=lambda events: self.listening.clear(),
        )

    def _open(self, change: int) -> None:
        self.opened += change

    def _handle(self, index: int) -> int:
        return no_answer() if index in self.lost else index

    def _violation(self, handle: int, policy: int) -> SimpleNamespace:
        return SimpleNamespace(violationTime=[self.gpus[handle].capped_ns, self.gpus[handle].hot_ns][policy])

    def _link(self, handle: int, link: int) -> int:
        links: list[int] = self.gpus[handle].links
        return links[link] if link < len(links) else no_answer()

    def _event(self, events: str, milliseconds: int) -> SimpleNamespace:
        if not self.events or not self.listening:
            return no_answer()  # a timeout
        device, xid = self.events.pop(0)
        return SimpleNamespace(device=device, eventData=xid)
