"""Reads the GPUs at intervals, so that no scrape waits for NVML."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from ringscope_agent import gpus
from ringscope_agent.metrics.exporter import Exporter


@contextmanager
def watched_gpus(exporter: Exporter, interval_seconds: float) -> Iterator[None]:
    """Keep fresh readings in the exporter while the context lasts."""
    watch = asyncio.create_task(_watch(exporter, interval_seconds))
    try:
        yield
    finally:
        watch.cancel()


async def _watch(exporter: Exporter, interval_seconds: float) -> None:
    while True:
        exporter.gpus = await asyncio.to_thread(gpus.find_readings)
        await asyncio.sleep(interval_seconds)
