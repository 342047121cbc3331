"""Each heartbeat carries how busy the node's cores, memory and GPUs are."""

from tests.agent.fake_server import TOKEN, FakeServer
from tests.agent.telemetry.test_delivery import REGISTRATION

from ringscope.contracts.reading import GpuState, Reading
from ringscope_agent.client import ServerClient
from ringscope_agent.readings import node_reading


def gpu(index: int, utilization: float | None, memory: int | None, celsius: int | None) -> GpuState:
    return GpuState(index=index, utilization_ratio=utilization, memory_used_bytes=memory, temperature_celsius=celsius)


def test_gpus_are_told_as_their_mean_their_sum_and_the_hottest() -> None:
    told = node_reading([gpu(0, 0.25, 10, 50), gpu(1, 0.75, 20, 61), gpu(2, None, None, None)])
    assert (told.gpu_utilization_ratio, told.gpu_memory_used_bytes, told.gpu_temperature_celsius) == (0.5, 30, 61)


def test_a_node_without_gpus_or_whose_gpus_nobody_reads_tells_of_its_cores_and_memory() -> None:
    for gpus in (None, []):
        told = node_reading(gpus)
        assert told.gpu_utilization_ratio is told.gpu_memory_used_bytes is told.gpu_temperature_celsius is None
        assert told.load_average is not None and told.load_average >= 0
        assert told.memory_used_bytes


async def test_each_poll_tells_the_newest(server: FakeServer) -> None:
    told = iter([Reading(load_average=1), Reading(load_average=2)])
    client = ServerClient(server.url, TOKEN, REGISTRATION, reading=lambda: next(told))
    await client.register()
    for _ in range(2):
        await client.poll(-1)
    assert [poll.reading and poll.reading.load_average for poll in server.polls] == [1, 2]
    await client.close()
