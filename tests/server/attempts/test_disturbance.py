"""Other load on the nodes of a measured job is reported, and no other job is compared with that job."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.server import training_jobs
from tests.server.conftest import ONE_SIZE, Clock, FakeAgent, Server, measurement
from tests.server.metrics_page import samples
from tests.server.training_records import TRAINING, epoch, training_steps

from ringscope.contracts.protocol import Load
from ringscope_server.attempts.disturbance import other_loads

GPU = {"index": 0, "uuid": "GPU-0", "model": "H100", "memory_bytes": 80 << 30}
SHARED = ONE_SIZE | {"placement": {"ranks": 2, "exclusive": False}}


def load(busy: float, own: float, machine: str = "", seconds: float = 10.0, processors: int = 2) -> Load:
    return Load(machine=machine, processors=processors, seconds=seconds, busy_seconds=busy, own_seconds=own)


def percents(*loads: Load) -> list[float]:
    named = [(f"n{number}", one) for number, one in enumerate(loads)]
    return [pytest.approx(found.percent) for found in other_loads(named)]


def test_what_others_took_is_what_was_busy_less_the_ranks_own_share() -> None:
    assert percents(load(18, 14)) == [20.0]
    assert percents(load(18, 14), load(20, 20)) == [20.0, 0.0]


def test_nodes_of_one_machine_are_no_load_for_each_other() -> None:
    assert percents(*[load(19, 6, machine="a")] * 3) == [5.0]
    assert percents(load(19, 9, machine="a"), load(19, 19, machine="b")) == [50.0, 0.0]


@given(st.lists(st.builds(Load, machine=st.sampled_from(["", "a", "b"]), processors=st.integers(1, 256),
    seconds=st.floats(0, 1e6), busy_seconds=st.floats(0, 1e9), own_seconds=st.floats(0, 1e9))))  # fmt: skip
def test_whatever_agents_tell_comes_to_a_share(loads: list[Load]) -> None:
    assert all(found.percent >= 0 for found in other_loads([("n", one) for one in loads]))


async def ran(server: Server, node: FakeAgent, **more: Any) -> dict[str, Any]:
    """A benchmark that has succeeded."""
    job = await server.submit(**SHARED)
    attempt = await node.start_next()
    await finish(node, attempt, **more)
    return await server.job(job["id"])


async def finish(node: FakeAgent, attempt: int, **more: Any) -> None:
    node.sequence = 0
    await node.records(attempt, measurement(), measurement(in_place=True))
    await node.report(attempt, "ended", reason="completed", **more)
    await node.report(attempt, "clean", last_sequence=2)


async def test_other_load_is_told_beyond_a_tenth_of_the_processors(server: Server) -> None:
    node = await server.node(slots=2)
    quiet = await ran(server, node, load=load(18, 16.1).model_dump())
    assert (quiet["state"], quiet["attempts"][0]["disturbed_by"]) == ("succeeded", None)
    busy = await ran(server, node, load=load(18, 15.9).model_dump())
    sentence = "Other load took 10 % of the processors of node n1."
    assert (busy["state"], busy["attempts"][0]["disturbed_by"]) == ("succeeded", sentence)


SLOWED = [
    (
        [{"gpu": 3, "slowed_by": ["too_hot"], "hot_seconds": 2.5}],
        "GPU 3 of node n1 lowered its clock for 2.5 of 10 s because it was too hot.",
    ),
    (
        [{"gpu": 0, "slowed_by": ["power_brake"]}, {"gpu": 1, "slowed_by": ["power_brake"]}],
        "GPU 0 of node n1 lowered its clock because its power supply asked for it. So did 1 other GPU.",
    ),
    ([{"gpu": 1, "xids": [74]}], "The driver of GPU 1 of node n1 reported XID 74."),
]


@pytest.mark.parametrize(("gpus", "sentence"), SLOWED)
async def test_a_gpu_that_was_slowed_marks_the_rows(server: Server, gpus: list[dict[str, Any]], sentence: str) -> None:
    node = await server.node(slots=2)
    found = await ran(server, node, load=load(10, 10).model_dump() | {"gpus": gpus})
    assert (found["state"], found["attempts"][0]["disturbed_by"]) == ("succeeded", sentence)


OF_ONE_MACHINE = [
    (9.3, None),
    (4.5, "Other load took 50 % of the processors of the machine that nodes n1, n2 share."),
]


@pytest.mark.parametrize(("own_seconds", "sentence"), OF_ONE_MACHINE)
async def test_ranks_on_nodes_of_one_machine_disturb_each_other_in_no_order_of_their_ends(
    server: Server, own_seconds: float, sentence: str | None
) -> None:
    nodes = [await server.node("n1", 1), await server.node("n2", 1)]
    job = await server.submit(**ONE_SIZE | {"placement": {"ranks": 2, "nodes": 2}})
    attempt = await started(server, nodes)
    await nodes[0].records(attempt, measurement(), measurement(in_place=True))
    for node in nodes:
        load_of_node = load(19, own_seconds, machine="boot").model_dump()
        await node.report(attempt, "ended", reason="completed", load=load_of_node)
    for node in nodes:
        await node.report(attempt, "clean", last_sequence=node.sequence)
    found = await server.job(job["id"])
    assert (found["state"], found["attempts"][0]["disturbed_by"]) == ("succeeded", sentence)


async def test_nodes_that_told_of_no_end_leave_the_load_unjudged(server: Server) -> None:
    nodes = [await server.node("n1", 1), await server.node("n2", 1)]
    job = await server.submit(**ONE_SIZE | {"placement": {"ranks": 2, "nodes": 2}})
    attempt = await started(server, nodes)
    load_of_node = load(19, 9.3, machine="boot").model_dump()
    await nodes[0].report(attempt, "ended", reason="rank_exit", load=load_of_node)
    for node in nodes:
        await node.report(attempt, "clean")
    found = await server.job(job["id"])
    assert (found["state"], found["attempts"][0]["disturbed_by"]) == ("failed", None)


async def started(server: Server, nodes: Sequence[FakeAgent]) -> int:
    """A gang of these nodes, whose ranks run; its attempt."""
    await server.one_pass()
    attempt: int = (await nodes[0].assignments())[-1]["attempt_id"]
    for event in ("ready", "running"):
        for node in nodes:
            await node.report(attempt, event)
    return attempt


async def test_jobs_that_share_a_node_name_each_other(server: Server, clock: Clock) -> None:
    node = await server.node(slots=4)
    first, second = await server.submit(**SHARED), await server.submit(**SHARED)
    await server.one_pass()
    attempts = [assignment["attempt_id"] for assignment in await node.assignments()]
    for attempt in attempts:
        await node.report(attempt, "ready")
        await node.report(attempt, "running")
    clock.advance(1)
    for attempt in attempts:
        await finish(node, attempt)
    for job, other in ((first, second), (second, first)):
        [told] = (await server.job(job["id"]))["attempts"]
        assert told["disturbed_by"] == f"It shared node n1 with job {other['id']}."


async def test_a_simulation_is_disturbed_by_nothing(server: Server) -> None:
    node = await server.node(slots=2)
    cluster = {"transport": "simulated", "topology": {"shape": "4x8"}, "algorithms": ["ring"]}
    job = await server.submit(benchmark=cluster)
    attempt = await node.start_next()
    await node.report(attempt, "ended", reason="completed", load=load(20, 0).model_dump())
    assert (await server.job(job["id"]))["attempts"][0]["disturbed_by"] is None


@pytest.mark.parametrize("own_seconds", [0, 20])
async def test_training_is_marked_in_the_same_words(server: Server, own_seconds: float) -> None:
    agent, job_id, attempt = await training_jobs.started(server)
    await agent.records(attempt, training_steps(), training_steps(1))
    await training_jobs.end(agent, attempt, "rank_exit", load=load(20, own_seconds).model_dump())
    sentence = None if own_seconds else "Other load took 100 % of the processors of node n1."
    assert (await server.job(job_id))["attempts"][0]["disturbed_by"] == sentence
    fastest = await server.admin.get("/api/v1/jobs", params={"sort": "-samples_per_second"})
    assert [job["id"] for job in fastest.json()["items"]] == [job_id], "it comes last, with those that have no rate"


@pytest.mark.parametrize(
    ("more", "training", "cores"),
    [
        ({"machine": {"cores": 2}}, {}, 2),
        ({"machine": {"cores": 8}}, {}, 4),
        ({"machine": {"cores": None}}, {}, 4),
        ({}, {}, None),
        ({"machine": {"cores": 2}, "gpus": [GPU]}, {}, None),
        ({"machine": {"cores": 2}, "gpus": [GPU]}, {"device": "cpu"}, 2),
    ],
)
async def test_training_says_how_many_cores_its_ranks_have(
    server: Server, more: dict[str, Any], training: dict[str, Any], cores: int | None
) -> None:
    agent = await server.node(slots=4)
    node = {"hostname": "n1", "os": "Linux", "cpu_model": "x", "cores": 8, "memory_bytes": 1 << 30}
    await agent.register(inventory=node | more)
    spec = TRAINING | {"training": TRAINING["training"] | training, "placement": {"ranks": 4}}
    job = await server.submit(**spec)
    attempt = await agent.start_next()
    await agent.records(attempt, *(training_steps(rank) for rank in range(4)), epoch(1))
    summary = (await server.job(job["id"]))["summary"]
    assert (summary["ranks"], summary["cores"], summary["epochs_done"]) == (4, cores, 1)


async def test_a_job_that_came_after_the_ranks_had_ended_disturbs_nobody(server: Server, clock: Clock) -> None:
    node = await server.node(slots=4)
    first = await server.submit(**SHARED)
    attempt = await node.start_next()
    await node.records(attempt, measurement(), measurement(in_place=True))
    await node.report(attempt, "ended", reason="completed")
    clock.advance(1)
    await server.submit(**SHARED)
    await server.one_pass()
    await node.report(attempt, "clean", last_sequence=2)
    assert (await server.job(first["id"]))["attempts"][0]["disturbed_by"] is None


async def test_what_was_disturbed_is_no_best_value_and_none_to_expect(server: Server) -> None:
    node = await server.node(slots=2)
    busy = [await ran(server, node, load=load(20, 0).model_dump()) for _ in range(3)]
    expected = await server.admin.get(f"/api/v1/jobs/{busy[-1]['id']}/prediction")
    assert expected.json()["baseline"] == []
    quiet = [await ran(server, node, load=load(20, 20).model_dump()) for _ in range(4)]
    expected = await server.admin.get(f"/api/v1/jobs/{quiet[-1]['id']}/prediction")
    assert [row["runs"] for row in expected.json()["baseline"]] == [3, 3]
    told = [(await server.admin.get(f"/api/v1/jobs/{job['id']}/prediction")).json() for job in (busy[1], quiet[0])]
    assert [(found["best_row_runs"], found["needed_runs"]) for found in told] == [(1, 3), (3, 3)]
    fastest = (await server.admin.get("/api/v1/jobs", params={"sort": "-busbw"})).json()["items"]
    assert {job["id"] for job in fastest[:4]} == {job["id"] for job in quiet}  # the disturbed ones come last


@pytest.mark.parametrize(("own_seconds", "shapes"), [(0, 0), (20, 1)])
async def test_what_was_disturbed_is_on_no_gauge(server: Server, clock: Clock, own_seconds: float, shapes: int) -> None:
    await ran(server, await server.node(slots=2), load=load(20, own_seconds).model_dump())
    for _ in range(2):
        clock.advance(50)
        await server.one_pass()
    names = [name for name, _ in await samples(server)]
    assert names.count("ringscope_benchmark_bus_bandwidth_bytes_per_second") == shapes


async def test_a_measured_benchmark_has_its_nodes_alone_unless_it_shares_them(server: Server) -> None:
    async def is_exclusive(**spec: Any) -> bool:
        answer = await server.admin.post("/api/v1/jobs", json=spec)
        assert answer.status_code == 201, answer.text
        found: bool = answer.json()["spec"]["placement"]["exclusive"]
        return found

    await server.node(slots=4)
    assert await is_exclusive(**ONE_SIZE)
    assert await is_exclusive(kind="benchmark")
    assert not await is_exclusive(**SHARED)
    assert not await is_exclusive(kind="training", training={"model": "mlp"})
    simulated = {"transport": "simulated", "topology": {"shape": "4x8"}, "algorithms": ["ring"]}
    assert not await is_exclusive(benchmark=simulated)
