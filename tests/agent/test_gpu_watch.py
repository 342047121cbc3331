"""The agent reads the GPUs apart from the scrapes, and only while their values are wanted."""

import pytest
from tests.agent.conftest import eventually

from ringscope_agent import gpus
from ringscope_agent.metrics.exporter import Exporter
from ringscope_agent.metrics.gpu_watch import watched_gpus
from ringscope_agent.settings import AgentSettings

READING = gpus.GpuReading(0, 0.5, 1, 61, 412.5, 2, 3)


async def test_the_exporter_gets_fresh_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def look() -> list[gpus.GpuReading]:
        looks.append(1)
        return [READING] * len(looks)

    monkeypatch.setattr(gpus, "find_readings", look)
    exporter = Exporter({}, lambda: 0)
    with watched_gpus(exporter, interval_seconds=0.001):
        await eventually(lambda: exporter.gpus is not None and len(exporter.gpus) > 2)


def test_it_is_off_unless_wanted() -> None:
    assert AgentSettings(name="n1").gpu_metrics is False


@pytest.mark.parametrize(("interval_seconds", "linger_seconds"), [(1.0, 5.0), (15.0, 30.0)])
def test_the_last_values_stay_for_two_scrapes_and_5_s_at_least(interval_seconds: float, linger_seconds: float) -> None:
    assert AgentSettings(name="n1", scrape_interval_seconds=interval_seconds).metrics_linger_seconds == linger_seconds
