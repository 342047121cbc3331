"""An assignment names the slots that a job has on the node of a gang."""

from tests.server.conftest import ONE_SIZE, Server
from tests.server.nodes.test_register_agent import register

SCRIPT = {"kind": "script", "script": {"file": "train.py"}, "placement": {"ranks": 2}}


async def test_a_scripts_node_learns_which_of_its_slots_the_job_has(server: Server) -> None:
    agent = await server.node(slots=6)
    for spec in (SCRIPT, SCRIPT, ONE_SIZE):
        await server.submit(**spec)
    await server.one_pass()
    first, second, sweep = (one["slots"] for one in await agent.assignments())
    assert sorted(first + second) == [0, 1, 2, 3]
    assert sweep == [], "without GPUs only a script needs them"


async def test_two_jobs_on_a_node_with_gpus_learn_which_slots_they_have(server: Server) -> None:
    agent = await server.node(slots=4)
    await register(server, agent, gpus=4)
    for device in ("cuda", "cuda", "cpu"):
        benchmark = ONE_SIZE["benchmark"] | {"device": device}
        await server.submit(**ONE_SIZE | {"benchmark": benchmark, "placement": {"ranks": 2, "exclusive": False}})
    await server.one_pass()
    first, second = (one["slots"] for one in await agent.assignments())
    assert sorted(first + second) == [0, 1, 2, 3]
