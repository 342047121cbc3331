"""Cores, shared out."""

import os


def cores_each(shares: int) -> int:
    """How many of the cores that this process may run on are there for each of so many; at least one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // shares)
