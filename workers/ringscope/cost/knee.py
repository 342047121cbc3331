"""Find the size at which a call turns from latency-bound to bandwidth-bound. Pure."""

from collections.abc import Sequence


def knee_bytes(sizes_bytes: Sequence[float], times_us: Sequence[float]) -> float | None:
    """Return the size at which half of the time is latency, the time of a call without bytes.

    For a ring of n ranks over links of latency α and rate B it is α·n·B. Between two sizes, and below the first, the
    time is interpolated linearly. None if the knee is below the smallest size, or above the largest.
    """
    if len(times_us) < 2 or sizes_bytes[0] == sizes_bytes[1]:
        return None
    latency_us = times_us[0] - sizes_bytes[0] * (times_us[1] - times_us[0]) / (sizes_bytes[1] - sizes_bytes[0])
    target_us = 2 * latency_us
    if times_us[0] >= target_us:
        return None
    for i in range(1, len(times_us)):
        if times_us[i] >= target_us:
            part = (target_us - times_us[i - 1]) / (times_us[i] - times_us[i - 1])
            return sizes_bytes[i - 1] + part * (sizes_bytes[i] - sizes_bytes[i - 1])
    return None
