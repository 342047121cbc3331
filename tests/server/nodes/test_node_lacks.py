"""A node that lacks something is degraded and gets no job that it cannot run."""

from typing import Any

from tests.server.conftest import FakeAgent, Server

SHM = "/dev/shm has 1 MiB, and 4 ranks need 32 MiB; enlarge it."
NO_MPI = {"sentence": "A rank of MPI cannot start here.", "kinds": ["benchmark", "training", "script"]}
SCRIPT = {"kind": "script", "script": {"file": "hello.py"}, "placement": {"ranks": 1}}


def told(agent: FakeAgent, **inventory: Any) -> dict[str, Any]:
    return {"inventory": agent.introduction()["inventory"] | inventory}


async def test_a_node_that_lacks_something_is_degraded_also_when_it_is_resumed(server: Server) -> None:
    agent = await server.node("n1")
    await agent.register(**told(agent, lacks=[{"sentence": SHM, "kinds": []}]))
    node = (await server.admin.get("/api/v1/nodes/n1")).json()
    assert (node["observed"], node["observed_reason"]) == ("degraded", SHM)
    await server.admin.post("/api/v1/nodes/n1/resume", json={})
    assert (await server.admin.get("/api/v1/nodes/n1")).json()["observed_reason"] == SHM
    await agent.register(**told(agent))
    assert (await server.admin.get("/api/v1/nodes/n1")).json()["observed"] == "ready"


async def test_a_script_is_refused_where_no_node_runs_scripts(server: Server) -> None:
    agent = await server.node("n1")
    await agent.register(**told(agent, scripts=False))
    refused = await server.admin.post("/api/v1/jobs", json=SCRIPT)
    assert refused.status_code == 422, refused.text
    assert "no node runs jobs of kind script; start an agent with --scripts DIR." in refused.text
    own = {"kind": "training", "training": {"model": {"file": "net.py"}}, "placement": {"ranks": 1}}
    refused = await server.admin.post("/api/v1/jobs", json=own)
    assert refused.status_code == 422, refused.text
    assert [error["pointer"] for error in refused.json()["errors"]] == ["/training/model/file"]
    assert "no node has a folder of scripts, in which it looks for the file; start an agent" in refused.text
    await agent.register(**told(agent, scripts=True))
    for job in (SCRIPT, own):
        assert (await server.admin.post("/api/v1/jobs", json=job)).status_code == 201


async def test_a_node_that_is_named_must_be_there(server: Server) -> None:
    await server.node("n1")
    job = {"placement": {"ranks": 2, "node_names": ["n1", "h9"]}}
    refused = await server.admin.post("/api/v1/jobs", json=job)
    assert refused.status_code == 422, refused.text
    assert refused.json()["errors"] == [
        {"pointer": "/placement/node_names", "detail": "placement.node_names: there is no node h9; the nodes are n1."}
    ]


async def test_training_is_refused_where_no_node_has_pytorch(server: Server) -> None:
    agent = await server.node("n1")
    await agent.register(versions={"python": "3.12.1"})
    job = {"kind": "training", "training": {"model": "mlp"}, "placement": {"ranks": 1}}
    refused = await server.admin.post("/api/v1/jobs", json=job)
    assert refused.status_code == 422, refused.text
    assert refused.json()["errors"][0]["pointer"] == "/kind"
    assert "no node runs jobs of kind training; pip install 'ringscope[train]' on a node" in refused.text
    await agent.register(versions={"python": "3.12.1", "torch": "2.13.0"})
    assert (await server.admin.post("/api/v1/jobs", json=job)).status_code == 201


async def test_a_node_without_mpi_gets_no_job(server: Server) -> None:
    agent = await server.node("n1")
    taken = await server.admin.post("/api/v1/jobs", json={"placement": {"ranks": 1}})
    await agent.register(**told(agent, lacks=[NO_MPI]))
    await server.one_pass()
    assert await agent.assignments() == []
    job = (await server.admin.get(taken.headers["Location"])).json()
    assert job["pending"]["sentence"].startswith("Waits for a node that runs jobs of kind benchmark, unlike n1")
