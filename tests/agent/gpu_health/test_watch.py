"""The agent reads its GPUs at intervals, reports their faults, and knows what happened to them while a job ran."""

import asyncio
from collections.abc import Iterator, Sequence

import pytest
from tests.agent.conftest import eventually
from tests.agent.fake_nvml import FakeGpus

from ringscope.contracts.reading import GpuState, GpuTrouble
from ringscope_agent import gpus
from ringscope_agent.gpu_health import watch
from ringscope_agent.gpu_health.watch import GpuWatch
from ringscope_agent.settings import AgentSettings


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGpus]:
    fake = FakeGpus()
    monkeypatch.setattr(gpus, "pynvml", fake.nvml())
    yield fake
    assert fake.opened == 0, "NVML is closed while no job runs, so that a GPU can be reset"


async def test_states_are_fresh_and_faults_are_told_when_they_change(fake: FakeGpus) -> None:
    seen: list[Sequence[GpuState]] = []
    told: list[list[str]] = []

    async def on_faults(faults: list[str]) -> None:
        told.append(faults)

    watching = GpuWatch(seen.append)
    running = asyncio.create_task(watching.run(0.001, on_faults))
    await eventually(lambda: len(seen) > 2)
    assert told == [], "nothing is wrong"
    fake.gpus[1].rows = (0, 1, 1, 0)
    await eventually(lambda: len(told) == 1)
    assert told == [["GPU 1 replaces a broken part of its memory only when it is reset; end its jobs and reset it."]]
    fake.gpus[1].rows = (0, 1, 0, 0)
    await eventually(lambda: len(told) == 2)
    fake.lost.add(0)
    await eventually(lambda: len(told) == 3)
    assert told[1:] == [[], ["GPU 0 does not answer any more; restart the node."]]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_heat_that_lowered_the_clock_while_a_job_ran_is_told(
    fake: FakeGpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "LEAST_HOT_SHARE", 1e-9)
    fake.gpus[0].hot_ns = fake.gpus[1].hot_ns = 5 * 10**9  # before the job
    fake.gpus[0].reasons = 0x4  # its power limit, which is usual
    watching = GpuWatch()
    job = await watching.begin()
    fake.gpus[1].hot_ns += 2 * 10**9
    assert await job.end() == [GpuTrouble(gpu=1, hot_seconds=2, slowed_by=["too_hot"])]
    assert await job.end() == [], "it is told once"


async def test_a_moment_of_heat_in_a_long_job_is_none(fake: FakeGpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "LEAST_HOT_SHARE", 1e9)
    watching = GpuWatch()
    job = await watching.begin()
    fake.gpus[1].hot_ns += 10**6
    fake.gpus[1].reasons = 0x20
    assert await job.end() == []


async def test_a_power_brake_and_xids_are_those_of_the_jobs_gpus(fake: FakeGpus) -> None:
    watching = GpuWatch()
    job, other = await watching.begin(), await watching.begin()
    assert fake.opened == 1 and fake.listening == [0, 1]
    fake.gpus[1].reasons = 0x80
    fake.events += [(1, 74), (0, 31)]
    await watching.read()
    fake.gpus[1].reasons = 0
    (found,) = await job.end(["GPU-1"])
    assert (found.gpu, found.slowed_by, found.xids) == (1, ["power_brake"], [74])
    assert [(one.gpu, one.xids) for one in await other.end(["MIG-7"])] == [(0, [31]), (1, [74])]
    assert watching.faults == ["The driver reported XID 74 of GPU 1: an error of an NVLink."]


def test_their_metrics_are_off_unless_wanted() -> None:
    assert AgentSettings(name="n1").gpu_metrics is False


@pytest.mark.parametrize(("interval_seconds", "linger_seconds"), [(1.0, 5.0), (15.0, 30.0)])
def test_the_last_values_stay_for_two_scrapes_and_5_s_at_least(interval_seconds: float, linger_seconds: float) -> None:
    assert AgentSettings(name="n1", scrape_interval_seconds=interval_seconds).metrics_linger_seconds == linger_seconds
