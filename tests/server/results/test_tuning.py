"""Times that earlier jobs measured reach the node of rank 0 with an assignment whose algorithms include auto."""

from typing import Any

import pytest
from tests.server.conftest import FakeAgent, Server, measurement
from tests.server.statements import asked

from ringscope.contracts.protocol import Load
from ringscope_server.results import tuning
from ringscope_server.results.comparable import comparable_attempts

SWEEP = {"min_bytes": 1024, "max_bytes": 1024}
AUTO = {"benchmark": SWEEP | {"algorithms": ["auto"]}, "placement": {"ranks": 2}}


def rows(**time_us: float) -> list[dict[str, Any]]:
    return [measurement(name, p50_us=us, in_place=place) for name, us in time_us.items() for place in (False, True)]


async def run_job(
    server: Server, node: FakeAgent, *records: dict[str, Any], load: Load | None = None, **change: Any
) -> int:
    """A job of two ranks, from its submission to its end; every row of it is given."""
    algorithms = list(dict.fromkeys(record["algorithm"] for record in records))
    spec = {"benchmark": SWEEP | {"algorithms": algorithms}, "placement": {"ranks": 2}} | change
    job = await server.submit(**spec)
    attempt = await node.start_next()
    node.sequence = 0
    await node.records(attempt, *records)
    await node.report(attempt, "ended", reason="completed", load=load and load.model_dump())
    await node.report(attempt, "clean", last_sequence=len(records))
    return int(job["id"])


async def tuning_of(server: Server, node: FakeAgent, **spec: Any) -> dict[tuple[str, bool], dict[str, float]] | None:
    await server.submit(**(AUTO | spec))
    await server.one_pass()
    table = (await node.assignments())[-1]["tuning"]
    if table is None:
        return None
    return {(curve["algorithm"], curve["in_place"]): curve["times_us"] for curve in table["curves"]}


async def test_the_newest_times_of_succeeded_jobs_are_sent(server: Server) -> None:
    node = await server.node()
    first = await run_job(server, node, *rows(ring=9.0, direct=5.0))
    await run_job(server, node, *rows(ring=7.0))
    assert (await server.job(first))["state"] == "succeeded"
    assert await tuning_of(server, node) == {
        ("direct", False): {"1024": 5.0},
        ("direct", True): {"1024": 5.0},
        ("ring", False): {"1024": 7.0},
        ("ring", True): {"1024": 7.0},
    }


async def test_only_who_asks_for_auto_gets_them(server: Server) -> None:
    node = await server.node()
    await run_job(server, node, *rows(ring=9.0))
    assert await tuning_of(server, node, benchmark=SWEEP | {"algorithms": ["ring"]}) is None


async def test_a_script_which_does_not_say_what_it_asks_for_gets_them(server: Server) -> None:
    node = await server.node()
    await run_job(server, node, *rows(ring=9.0))
    await server.submit(kind="script", script={"file": "train.py"}, placement={"ranks": 2})
    await server.one_pass()
    (curve, *_) = (await node.assignments())[-1]["tuning"]["curves"]
    assert (curve["algorithm"], curve["times_us"]) == ("ring", {"1024": 9.0})


OTHER_SITUATIONS: list[dict[str, Any]] = [
    {"benchmark": SWEEP | {"algorithms": ["auto"], "collective": "broadcast"}},
    {"benchmark": SWEEP | {"algorithms": ["auto"], "dtype": "float16"}},
    {"placement": {"ranks": 3}},
]


async def test_times_of_other_situations_are_not(server: Server) -> None:
    node = await server.node(slots=16)
    await run_job(server, node, *rows(ring=9.0))
    for change in OTHER_SITUATIONS:
        assert await tuning_of(server, node, **change) == {}


async def test_ranks_on_one_node_say_nothing_about_two(server: Server) -> None:
    one = await server.node("n1", 2)
    await run_job(server, one, *rows(ring=9.0))
    two = await server.node("n2", 2)
    assert await tuning_of(server, one, placement={"ranks": 2, "nodes": 2}) == {}
    (assignment,) = await two.assignments()
    assert assignment["tuning"] is None, "rank 0 is on the other node"


async def test_failed_jobs_and_models_do_not_count(server: Server) -> None:
    node = await server.node()
    await run_job(server, node, *rows(ring=9.0), *rows(direct=9.0)[:1], benchmark=SWEEP | {"algorithms": ["tree"]})
    simulated = [row | {"transport": "simulated"} for row in rows(ring=1.0)]
    await run_job(server, node, *simulated)
    loopback = [row | {"transport": "nccl, one-device loopback"} for row in rows(ring=1.0)]
    await run_job(server, node, *loopback)
    assert await tuning_of(server, node) == {}


async def test_jobs_that_asked_for_channels_do_not_count_however_many_they_are(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "MAX_READ", 1)
    node = await server.node()
    await run_job(server, node, *rows(ring=9.0))
    spec = {"benchmark": SWEEP | {"algorithms": ["ring", "direct"], "channels": 2}}
    in_two = [row | {"channels": 2 if row["algorithm"] == "ring" else None} for row in rows(ring=1.0, direct=1.0)]
    await run_job(server, node, *in_two, **spec, placement={"ranks": 2, "nodes": 1})
    assert await tuning_of(server, node) == {("ring", False): {"1024": 9.0}, ("ring", True): {"1024": 9.0}}


@pytest.mark.parametrize(
    "mode",
    [
        {"average": "min"},
        {"blocking": 1},
        {"rotate": True},
        {"aggregate": 8},
        {"registration": 1},
        {"cuda_graph_launches": 1},
    ],
    ids=str,
)
async def test_jobs_that_measured_in_another_mode_do_not_count(server: Server, mode: dict[str, Any]) -> None:
    node = await server.node()
    await run_job(server, node, *rows(ring=9.0))
    await run_job(server, node, *rows(ring=1.0), benchmark=SWEEP | {"algorithms": ["ring"]} | mode)
    assert await tuning_of(server, node) == {("ring", False): {"1024": 9.0}, ("ring", True): {"1024": 9.0}}


async def test_jobs_that_something_disturbed_do_not_count(server: Server) -> None:
    node = await server.node()
    await run_job(server, node, *rows(ring=9.0))
    busy = Load(machine="", processors=2, seconds=10.0, busy_seconds=20.0, own_seconds=10.0)
    disturbed = await server.job(await run_job(server, node, *rows(ring=1.0, direct=1.0), load=busy))
    assert (disturbed["state"], disturbed["attempts"][0]["disturbed_by"] is not None) == ("succeeded", True)
    assert await tuning_of(server, node) == {("ring", False): {"1024": 9.0}, ("ring", True): {"1024": 9.0}}


async def test_a_try_that_did_not_end_well_does_not_count_though_the_next_one_did(server: Server) -> None:
    node = await server.node()
    job = await server.submit(benchmark=SWEEP | {"algorithms": ["ring", "direct"]}, placement={"ranks": 2})
    first = await node.start_next()
    node.sequence = 0
    await node.records(first, *rows(ring=1.0))
    await node.report(first, "ended", reason="launcher_lost")
    await node.report(first, "clean", last_sequence=2)
    assert (await server.job(job["id"]))["state"] == "queued"
    server.clock.advance(6)
    second = await node.start_next()
    node.sequence = 0
    await node.records(second, *rows(ring=9.0, direct=9.0))
    await node.report(second, "ended", reason="completed")
    await node.report(second, "clean", last_sequence=4)
    assert (await server.job(job["id"]))["state"] == "succeeded"
    async with server.services.database.read() as session:
        assert await comparable_attempts(session, "all_reduce", 2, [2]) == [second]


async def test_once_ranks_run_the_table_is_not_sent_again(server: Server) -> None:
    node = await server.node()
    await run_job(server, node, *rows(ring=9.0, direct=5.0))
    assert await tuning_of(server, node)
    (assignment,) = await node.assignments()
    await node.report(assignment["attempt_id"], "ready")
    assert (await node.assignments())[0]["tuning"]["curves"], "an agent that is started again asks again"
    await node.report(assignment["attempt_id"], "running")
    assert (await node.assignments())[0]["tuning"] is None


async def test_the_table_is_made_when_the_gang_gets_its_slots_and_no_poll_reads_a_measurement(server: Server) -> None:
    node = await server.node()
    await run_job(server, node, *rows(ring=9.0))
    await server.submit(**AUTO)
    await server.one_pass()
    with asked(server.services.database) as statements:
        first, second = [(await node.assignments())[0]["tuning"] for _ in range(2)]
    assert first == second and first["curves"]
    assert not [statement for statement in statements if "measurements" in statement]


async def test_what_auto_took_and_why_is_stored_with_its_row(server: Server) -> None:
    node = await server.node()
    reason = {"chosen_algorithm": "direct", "chosen_because": "measured: direct 5 us, ring 9 us at 1 KiB."}
    job_id = await run_job(server, node, *[row | reason for row in rows(auto=5.0)])
    (first, _) = (await server.admin.get(f"/api/v1/jobs/{job_id}/measurements")).json()["items"]
    assert {key: first[key] for key in ("algorithm", *reason)} == {"algorithm": "auto", **reason}
    assert await tuning_of(server, node) == {("direct", False): {"1024": 5.0}, ("direct", True): {"1024": 5.0}}


TRAININGS: list[tuple[dict[str, str], bool]] = [
    ({}, True),
    ({"all_reduce": "ring"}, False),
    ({"strategy": "torch_ddp"}, False),
]


async def test_training_that_sums_by_auto_gets_them_too(server: Server) -> None:
    node = await server.node(slots=16)
    await run_job(server, node, *rows(ring=9.0))
    for training, gets_them in TRAININGS:
        job = {"kind": "training", "training": training, "placement": {"ranks": 2}}
        await server.submit(**job)
        await server.one_pass()
        table = (await node.assignments())[-1]["tuning"]
        found = table and {(curve["algorithm"], curve["in_place"]) for curve in table["curves"]}
        assert found == ({("ring", False), ("ring", True)} if gets_them else None)


SIZE = 1 << 20
SEARCH: dict[str, Any] = {
    "kind": "strategy_search",
    "strategy_search": {"strategies": ["mirrored-ring", "mirrored-direct"]},
    "placement": {"ranks": 2},
}


def search_records(**time_us: float) -> list[dict[str, Any]]:
    """Three rounds of a search; the times of its sums by algorithm."""
    names = [f"mirrored-{name}" for name in time_us]
    told: list[dict[str, Any]] = [{"type": "search_plan", "rank": 0, "candidates": names}]
    for number in range(3):
        for name, sum_us in time_us.items():
            sums = {"algorithm": name, "transport": "shared_memory", "size_bytes": SIZE, "time_us": sum_us + number}
            step_us = 10 * sum_us * (1 + 0.001 * number)
            parts = {"compute_us": 9 * sum_us, "exposed_us": sum_us, "exchanged_bytes": SIZE, "seconds": 2.0}
            run = {"type": "search_run", "rank": 0, "candidate": f"mirrored-{name}", "round": number, "samples": 64}
            told.append(run | {"blocks_us": [step_us] * 3, "sums": [sums]} | parts)
    return told


async def search_job(server: Server, node: FakeAgent, *records: dict[str, Any], **change: Any) -> int:
    """A search of two ranks, from its submission to its end."""
    job = await server.submit(**SEARCH | change)
    attempt = await node.start_next()
    node.sequence = 0
    await node.records(attempt, *records)
    await node.report(attempt, "ended", reason="completed")
    await node.report(attempt, "clean", last_sequence=len(records))
    assert (await server.job(job["id"]))["state"] == "succeeded"
    return int(job["id"])


async def test_the_sums_of_a_search_are_sent_as_times_in_place(server: Server) -> None:
    node = await server.node()
    await run_job(server, node, *rows(ring=9.0, direct=9.0))
    await search_job(server, node, *search_records(ring=200.0, direct=100.0))
    assert await tuning_of(server, node) == {
        ("direct", False): {"1024": 9.0},
        ("direct", True): {"1024": 9.0, str(SIZE): 101.0},
        ("ring", False): {"1024": 9.0},
        ("ring", True): {"1024": 9.0, str(SIZE): 201.0},
    }


async def test_a_search_in_another_environment_does_not_count(server: Server) -> None:
    node = await server.node()
    await node.register(inventory=node.introduction()["inventory"] | {"allow_env": ["NCCL_ALGO"]})
    await search_job(server, node, *search_records(ring=200.0, direct=100.0), env={"NCCL_ALGO": "Ring"})
    assert await tuning_of(server, node) == {}
    half = {"benchmark": SWEEP | {"algorithms": ["auto"], "dtype": "float16"}}
    await search_job(server, node, *search_records(ring=200.0, direct=100.0))
    assert await tuning_of(server, node, **half) == {}
