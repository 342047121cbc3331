"""The driver's errors (XIDs), as NVML reports them while it is open.

NVML keeps the driver in use while it is open, so that nobody can reset a GPU. It is therefore open only while ranks
that may use GPUs run, which keep the GPUs in use anyway.
"""

from functools import partial

from ringscope_agent import gpus


class XidListener:
    """Collects XIDs between ``open`` and ``close``; without a driver it hears nothing."""

    def __init__(self) -> None:
        self._events: object | None = None

    def open(self) -> None:
        """Begin to listen to every GPU."""
        nvml = gpus.nvml()
        if nvml is None or self._events is not None:
            return
        try:
            nvml.nvmlInit()
        except nvml.NVMLError:
            return
        try:
            self._events = nvml.nvmlEventSetCreate()
        except nvml.NVMLError:
            nvml.nvmlShutdown()
            return
        for _, handle in gpus.handles():
            gpus.told(partial(self._listen, handle))

    def take(self) -> list[tuple[str, int]]:
        """Return the XIDs that came since the last call, each with its GPU's UUID."""
        nvml, found = gpus.nvml(), list[tuple[str, int]]()
        while self._events is not None:
            try:
                event = nvml.nvmlEventSetWait_v2(self._events, 0)
                found.append((str(nvml.nvmlDeviceGetUUID(event.device)), int(event.eventData)))
            except nvml.NVMLError:  # none waits, or the GPU is gone
                break
        return found

    def close(self) -> None:
        """Listen no longer."""
        if (events := self._events) is not None:
            self._events = None
            gpus.told(lambda: gpus.nvml().nvmlEventSetFree(events))
            gpus.told(gpus.nvml().nvmlShutdown)

    def _listen(self, handle: object) -> None:
        nvml = gpus.nvml()
        nvml.nvmlDeviceRegisterEvents(handle, nvml.nvmlEventTypeXidCriticalError, self._events)
