"""POST /jobs/prediction and GET /jobs/{id}/prediction."""

from typing import Any

import pytest
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server, measurement
from tests.server.metrics_page import run_sweep

from ringscope.choice.prediction import predict
from ringscope.contracts.job import JobSpec
from ringscope.contracts.tuning import Table

SWEEP = {
    "benchmark": {"algorithms": ["ring", "direct"], "min_bytes": 1024, "max_bytes": 4096},
    "placement": {"ranks": 2},
}
CLUSTER = {"shape": "2x4", "link": "ib200", "intra": "nvlink4"}
SIMULATION = {"benchmark": SWEEP["benchmark"] | {"transport": "simulated", "topology": CLUSTER}}


async def ask(server: Server, **spec: Any) -> dict[str, Any]:
    response = await server.admin.post("/api/v1/jobs/prediction", json=spec)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def prediction_of(server: Server, job_id: int) -> dict[str, Any]:
    response = await server.admin.get(f"/api/v1/jobs/{job_id}/prediction")
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def test_rows_are_those_of_the_library_and_nothing_is_submitted(server: Server) -> None:
    await server.node(slots=2)
    found = await ask(server, **SWEEP)
    wanted = predict(JobSpec.model_validate(SWEEP).sweep, [2], Table())
    assert [(row["algorithm"], row["size_bytes"], row["time_us"]) for row in found["model"]["rows"]] == [
        (row.algorithm, row.size_bytes, row.time_us) for row in wanted.rows
    ]
    assert found["operations_seconds"] == wanted.operations_seconds
    assert (found["buffer_bytes"], found["nodes"]) == (2 * 4096, [{"node": "n1", "ranks": 2}])
    assert found["limit"] is None, "one node has no network between its ranks"
    assert (await server.admin.get("/api/v1/jobs")).json()["items"] == []


async def test_a_viewer_may_ask(server: Server) -> None:
    await server.node()
    viewer = await server.person("viewer")
    assert (await viewer.post("/api/v1/jobs/prediction", json=SWEEP)).status_code == 200


async def test_ranks_lie_where_the_scheduler_would_put_them_whatever_runs(server: Server) -> None:
    nics = [
        {"name": "eth0", "speed_mbit_per_s": 25_000},
        {"name": "usb0", "speed_mbit_per_s": 100},
        {"name": "docker0", "speed_mbit_per_s": 100_000, "is_virtual": True},
    ]
    for name, its in (("n1", nics), ("n2", nics[:1])):
        agent = await server.node(name, 2)
        inventory = {
            "hostname": name,
            "os": "Linux",
            "cpu_model": "x",
            "cores": 2,
            "memory_bytes": 1 << 30,
            "nics": its,
        }
        await agent.register(inventory=inventory)
    await server.submit(**ONE_SIZE)
    await server.one_pass()
    found = await ask(server, **SWEEP | {"placement": {"ranks": 4}})
    assert found["nodes"] == [{"node": "n1", "ranks": 2}, {"node": "n2", "ranks": 2}]
    assert found["limit"]["busbw_gb_per_s"] == pytest.approx(3.125 * 3 / 4 * 2), "each node sends what two ranks need"
    gathered = await ask(server, **SWEEP | {"benchmark": {"collective": "all_gather"}, "placement": {"ranks": 4}})
    assert gathered["limit"]["busbw_gb_per_s"] == pytest.approx(3.125 * 3 / 4 * 2), "each takes half of the result"
    assert "25 Gbit/s" in found["limit"]["because"]
    beside = await ask(server, **SWEEP)
    assert beside["nodes"] == [{"node": "n2", "ranks": 2}], "on n1 runs the other job, which has it for itself"


async def test_ranks_on_gpus_have_all_network_cards_of_their_nodes(server: Server) -> None:
    gpus = [{"index": i, "uuid": f"GPU-{i}", "model": "H100", "memory_bytes": 80 << 30} for i in range(8)]
    cards = [{"name": f"ib{i}", "speed_mbit_per_s": 400_000} for i in range(8)]
    for name in ("n1", "n2"):
        agent = await server.node(name, 8)
        node = {"hostname": name, "os": "Linux", "cpu_model": "x", "cores": 64, "memory_bytes": 1 << 40}
        await agent.register(inventory=node | {"nics": cards, "gpus": gpus})

    async def told(device: str) -> Any:
        benchmark = {"algorithms": ["ring"], "device": device}
        return (await ask(server, benchmark=benchmark, placement={"ranks": 16}))["limit"]

    on_gpus = await told("cuda")
    assert on_gpus["busbw_gb_per_s"] == pytest.approx(400 * 15 / 16 * 2)
    assert "The network cards of n1 are reported as 3200 Gbit/s" in on_gpus["because"]
    assert (await told("cpu"))["busbw_gb_per_s"] == pytest.approx(50 * 15 / 16 * 2)


async def test_what_would_spoil_the_result_is_told(server: Server) -> None:
    agent = await server.node(slots=4)
    inventory = {"hostname": "n1", "os": "Linux", "cpu_model": "x", "cores": 2, "memory_bytes": 1 << 20}
    await agent.register(inventory=inventory)
    benchmark = {"algorithms": ["ring", "gloo"], "max_bytes": 1 << 28, "iterations": 1000}
    crowded = await ask(
        server, benchmark=benchmark | {"algorithms": ["ring"]}, placement={"ranks": 4}, time_limit_seconds=1
    )
    text = " ".join(crowded["warnings"])
    assert "the time limit is 1 s: raise it" in text
    assert "The buffers of 4 ranks need 2 GiB, and n1 has 1 MiB" in text
    assert "4 ranks share the 2 cores of n1" in text
    assert "cannot predict gloo" in " ".join((await ask(server, benchmark=benchmark))["warnings"])
    same = await ask(server, **SWEEP)
    assert "With 2 ranks ring and direct send the same messages" in " ".join(same["warnings"])
    sweep = {"collective": "broadcast", "algorithms": ["ring", "tree", "naive"]}
    other = await ask(server, benchmark=sweep, placement={"ranks": 2})
    assert "With 2 ranks tree and naive send the same messages" in " ".join(other["warnings"])


async def test_buffers_on_gpus_are_held_against_the_memory_of_gpus(server: Server) -> None:
    agent = await server.node(slots=4)
    sizes = [1 << 30, 1 << 31]
    gpus = [{"index": i, "uuid": f"GPU-{i}", "model": "H100", "memory_bytes": size} for i, size in enumerate(sizes)]
    node = {"hostname": "n1", "os": "Linux", "cpu_model": "x", "cores": 8, "memory_bytes": 1 << 22, "gpus": gpus}
    await agent.register(inventory=node)

    async def told(ranks: int, max_bytes: int, device: str = "cuda") -> str:
        benchmark = {"algorithms": ["ring"], "max_bytes": max_bytes, "device": device, "iterations": 1}
        found = await ask(server, benchmark=benchmark, placement={"ranks": ranks})
        return " ".join(warning for warning in found["warnings"] if "buffers" in warning)

    assert await told(2, 1 << 29) == "", "1 GiB each, and each has a GPU"
    assert "The buffers of 1 rank need 2 GiB, and a GPU of n1 has 1 GiB: lower" in await told(2, 1 << 30)
    assert "The buffers of 2 ranks need 2 GiB, and a GPU of n1 has 1 GiB: lower" in await told(4, 1 << 29)
    assert "The buffers of 2 ranks need 2 GiB, and n1 has 4 MiB: lower" in await told(2, 1 << 29, "cpu")


async def test_an_empty_cluster_gets_a_prediction_and_the_refusal_as_a_warning(server: Server) -> None:
    found = await ask(server, **SWEEP)
    assert found["model"]["rows"] and found["nodes"] == []
    assert found["warnings"][0].startswith("This cluster could not run it: ")
    assert "start an agent" in found["warnings"][0]


async def test_a_simulation_has_the_limit_of_its_cluster(server: Server) -> None:
    await server.node()
    found = await ask(server, **SIMULATION)
    assert found["limit"]["busbw_gb_per_s"] == pytest.approx(4 * 25 * 7 / 8 * 2), "four cards send for a node"
    assert "ib200 between nodes" in found["limit"]["because"]
    most = max(row["busbw_gb_per_s"] for row in found["model"]["rows"])
    assert most <= found["limit"]["busbw_gb_per_s"]
    assert (found["operations_seconds"], found["buffer_bytes"], found["warnings"]) == (None, 0, [])


async def test_only_benchmarks_are_predicted(server: Server) -> None:
    response = await server.admin.post("/api/v1/jobs/prediction", json={"kind": "training"})
    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"] == "/kind"
    refused = await server.admin.post("/api/v1/jobs/prediction", json={"benchmark": {"iterations": "many"}})
    assert refused.json()["errors"][0]["pointer"] == "/benchmark/iterations"


async def test_rows_can_be_held_against_model_and_earlier_good_runs(server: Server, clock: Clock) -> None:
    agent = await server.node()
    for rate in (2.0, 3.0, 1.0):
        rows = [measurement(in_place=place, busbw_gb_per_s=rate) for place in (False, True)]
        await run_sweep(server, agent, rows, **ONE_SIZE)
    job = await server.submit(**ONE_SIZE)
    predicted = (await ask(server, **ONE_SIZE))["model"]
    before = {"model": predicted, "limit": None, "baseline": [], "best_row_runs": None, "needed_runs": 3}
    assert await prediction_of(server, job["id"]) == before, "no attempt yet"
    await agent.start_next()
    found = await prediction_of(server, job["id"])
    assert found["baseline"] == [
        {
            "algorithm": "ring",
            "in_place": place,
            "size_bytes": 1024,
            "median_gb_per_s": 2.0,
            "least_gb_per_s": 1.0,
            "runs": 3,
            "is_disturbed": False,
        }
        for place in (False, True)
    ]
    assert [row["size_bytes"] for row in found["model"]["rows"]] == [1024]
    earlier_names = (await server.admin.get(f"/api/v1/jobs/{job['id']}/expectations")).json()
    assert earlier_names == {"model": found["model"], "limit": None, "usual": found["baseline"]}
    assert (await prediction_of(server, 1))["baseline"] == [], "later runs say nothing about an earlier one"
    assert (await server.admin.get("/api/v1/jobs/77/prediction")).status_code == 404


async def test_the_baseline_is_of_jobs_that_asked_for_the_same_channels(server: Server) -> None:
    agent = await server.node()
    sweep = {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 1024}
    both: list[dict[str, Any]] = [{}, {"channels": 2}]
    usual, asked = ({"benchmark": sweep | more, "placement": {"ranks": 2, "nodes": 1}} for more in both)
    for _ in range(3):
        for spec, rate in ((usual, 1.0), (asked, 2.0)):
            rows = [measurement(in_place=place, busbw_gb_per_s=rate) for place in (False, True)]
            await run_sweep(server, agent, rows, **spec)
    found = []
    for spec in (usual, asked):
        job = await server.submit(**spec)
        await agent.start_next()
        found.append({row["median_gb_per_s"] for row in (await prediction_of(server, job["id"]))["baseline"]})
    assert found == [{1.0}, {2.0}]


async def baseline_gb_per_s(server: Server, agent: FakeAgent, **spec: Any) -> set[float]:
    """Return the baseline with which a job that starts now is compared."""
    job = await server.submit(**spec)
    await agent.start_next()
    return {row["median_gb_per_s"] for row in (await prediction_of(server, job["id"]))["baseline"]}


@pytest.mark.sample(2)
@pytest.mark.parametrize("mode", [{"average": "min"}, {"blocking": 1}, {"rotate": True}, {"aggregate": 8}], ids=str)
async def test_the_baseline_is_of_jobs_that_measured_in_the_same_mode(server: Server, mode: dict[str, Any]) -> None:
    agent = await server.node(slots=8)
    other = ONE_SIZE | {"benchmark": ONE_SIZE["benchmark"] | mode}
    for _ in range(3):
        for spec, rate in ((ONE_SIZE, 1.0), (other, 2.0)):
            rows = [measurement(in_place=place, busbw_gb_per_s=rate) for place in (False, True)]
            await run_sweep(server, agent, rows, **spec)
    assert await baseline_gb_per_s(server, agent, **ONE_SIZE) == {1.0}
    assert await baseline_gb_per_s(server, agent, **other) == {2.0}


async def test_a_job_over_a_named_transport_is_held_against_runs_over_it(server: Server) -> None:
    agent = await server.node(slots=8)
    over_mpi = ONE_SIZE | {"benchmark": ONE_SIZE["benchmark"] | {"transport": "mpi"}}
    for _ in range(3):
        for spec, transport, rate in ((ONE_SIZE, "shared_memory", 9.0), (over_mpi, "mpi", 2.0)):
            told = {"transport": transport, "busbw_gb_per_s": rate}
            rows = [measurement(in_place=place, **told) for place in (False, True)]
            await run_sweep(server, agent, rows, **spec)
    assert await baseline_gb_per_s(server, agent, **over_mpi) == {2.0}
    assert await baseline_gb_per_s(server, agent, **ONE_SIZE) == {9.0}


async def test_a_simulation_is_held_against_its_links_only(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**SIMULATION)
    await agent.start_next()
    found = await prediction_of(server, job["id"])
    assert (found["model"], found["baseline"], found["limit"]["busbw_gb_per_s"]) == (None, [], 175.0)
