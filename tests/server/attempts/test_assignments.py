"""What an assignment tells the node of a gang."""

from tests.server.conftest import ONE_SIZE, Server

SCRIPT = {"kind": "script", "script": {"file": "train.py"}, "placement": {"ranks": 2}}


async def test_a_scripts_node_learns_which_of_its_slots_the_job_has(server: Server) -> None:
    agent = await server.node(slots=6)
    for spec in (SCRIPT, SCRIPT, ONE_SIZE):
        await server.submit(**spec)
    await server.one_pass()
    first, second, sweep = (one["slots"] for one in await agent.assignments())
    assert sorted(first + second) == [0, 1, 2, 3]
    assert sweep == [], "only a script chooses its GPUs by its slots"
