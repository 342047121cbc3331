"""POST /agents/{node}/records: each record exactly once."""

import asyncio
import json
import random
from typing import Any

import pytest
from sqlalchemy import select
from tests.server.conftest import ONE_SIZE, Server, measurement, steps

from ringscope.contracts.record import Measurement
from ringscope_server.db.models import Attempt
from ringscope_server.jobs import summary
from ringscope_server.jobs.summary import summary_of
from ringscope_server.jobs.tally import Tally
from ringscope_server.jobs.views import BenchmarkSummary


async def test_records_become_rows(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    line = {"type": "log", "rank": 1, "stream": "stdout", "time_ns": 5, "text": "hello"}
    answer = await agent.records(attempt, steps(rank=1), measurement(busbw_gb_per_s=4.0), line)
    assert answer.json() == {"last_sequence": 3}
    base = f"/api/v1/jobs/{job['id']}"
    found = (await server.admin.get(f"{base}/steps", params={"rank": 1})).json()["items"]
    assert [(row["step"], row["duration_us"]) for row in found] == [(0, 10.0), (1, 11.0), (2, 12.0)]
    assert (await server.admin.get(f"{base}/steps", params={"rank": 0})).json()["items"] == []
    (row,) = (await server.admin.get(f"{base}/measurements")).json()["items"]
    assert (row["busbw_gb_per_s"], row["measured_at"]) == (4.0, "2026-01-01T00:00:00Z")
    (text,) = (await server.admin.get(f"{base}/log")).json()["items"]
    assert (text["node"], text["rank"], text["text"]) == ("n1", 1, "hello")
    summary = (await server.job(job["id"]))["summary"]
    best = {"algorithm": "ring", "transport": "shared_memory", "busbw_gb_per_s": 4.0, "size_bytes": 1024}
    assert summary["best"] == [best | {"in_place": False, "iterations": 20, "is_unstable": False}]
    assert summary["verdict"] == "At 1 KiB ring reaches 4 GB/s bus bandwidth."


async def test_a_job_says_what_its_fastest_algorithm_does_over_sizes_and_what_its_links_allow(server: Server) -> None:
    agents = [await server.node(name, slots=1) for name in ("n1", "n2")]
    hardware = {"hostname": "n", "os": "Linux", "cpu_model": "x", "cores": 2, "memory_bytes": 1}
    for agent in agents:
        await agent.register(inventory=hardware | {"nics": [{"name": "eth0", "speed_mbit_per_s": 40_000}]})
    sweep = ONE_SIZE["benchmark"] | {"algorithms": ["ring", "direct"], "max_bytes": 65536, "cycles": 2}
    job = await server.submit(**ONE_SIZE | {"benchmark": sweep})
    await server.one_pass()
    attempt = (await agents[0].assignments())[0]["attempt_id"]
    for event in ("ready", "running"):
        for agent in agents:
            await agent.report(attempt, event)
    rows = [
        measurement("ring", 1024, busbw_gb_per_s=1.0, p99_us=30.0),
        measurement("ring", 1024, busbw_gb_per_s=1.5, p99_us=20.0, cycle=1),
        measurement("ring", 1024, busbw_gb_per_s=9.0, p99_us=1.0, in_place=True),
        measurement("ring", 65536, busbw_gb_per_s=4.0),
        measurement("direct", 65536, busbw_gb_per_s=10.0),
        measurement("direct", 1024, busbw_gb_per_s=2.0, p99_us=7.0),
    ]
    await agents[0].records(attempt, *rows[:4])
    first = (await server.job(job["id"]))["summary"]
    assert [(one["size_bytes"], one["busbw_gb_per_s"]) for one in first["sizes"]] == [(1024, 9.0)], "the place counts"
    await agents[0].records(attempt, *rows[4:])
    found = (await server.job(job["id"]))["summary"]
    assert [(one["size_bytes"], one["busbw_gb_per_s"]) for one in found["sizes"]] == [(1024, 2.0), (65536, 10.0)]
    assert (found["min_size_p99_us"], found["limit_gb_per_s"]) == (7.0, 5.0)


def test_of_several_cycles_the_mean_time_and_the_worst_percentile_are_told_and_of_many_sizes_some() -> None:
    def row(size_bytes: int, time_us: float, p99_us: float, cycle: int = 0) -> Measurement:
        rate = {"time_us": time_us, "busbw_gb_per_s": size_bytes / time_us}
        return Measurement.model_validate(measurement("ring", size_bytes, p99_us=p99_us, cycle=cycle, **rate))

    def summarise(rows: list[Measurement]) -> BenchmarkSummary:
        tally = Tally()
        for told in rows:
            tally.add(told)
        return summary_of(tally)

    found = summarise([row(8, 1.0, 30.0), row(8, 3.0, 20.0, 1), row(16, 2.0, 1.0)])
    assert [(one.size_bytes, one.busbw_gb_per_s) for one in found.sizes] == [(8, 4.0), (16, 8.0)]
    assert (found.min_size_p99_us, found.limit_gb_per_s) == (30.0, None)
    assert found.min_size_iterations == 40, "of both cycles"
    many = summarise([row(8 * number, 8.0, 1.0) for number in range(1, 1001)])
    assert (len(many.sizes), many.sizes[0].size_bytes, many.sizes[-1].size_bytes) == (24, 8, 8000)
    assert (summarise([]).sizes, summarise([]).min_size_p99_us) == ([], None)


async def test_a_simulation_takes_one_slot_and_everything_that_is_kept_says_simulated(server: Server) -> None:
    agent = await server.node()
    cluster = {"shape": "16x8", "link": "ib200"}
    sweep = {"transport": "simulated", "topology": cluster, "algorithms": ["ring"], "min_bytes": 64, "max_bytes": 64}
    job = await server.submit(benchmark=sweep)
    assert job["name"] == "all_reduce ring on 128 simulated ranks"
    attempt = await agent.start_next()
    (assignment,) = await agent.assignments()
    assert (assignment["ranks"], [member["slots"] for member in assignment["gang"]]) == (1, [1])
    row = measurement("ring", 64, transport="simulated", ranks=128, wrong=None)
    await agent.records(attempt, steps() | {"transport": "simulated"}, row)
    base = f"/api/v1/jobs/{job['id']}"
    for what in ("steps", "measurements"):
        found = (await server.admin.get(f"{base}/{what}")).json()["items"]
        assert {item["transport"] for item in found} == {"simulated"}
    summary = (await server.job(job["id"]))["summary"]
    assert [best["transport"] for best in summary["best"]] == ["simulated"]
    assert summary["verdict"].endswith("(simulated).")


async def test_what_is_sent_twice_is_stored_once(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    rows = [measurement(), measurement(in_place=True)]
    body = {"attempt_id": attempt, "first_sequence": 1, "records": rows[:1]}
    for _ in range(2):
        assert (await agent.post("records", body)).json() == {"last_sequence": 1}
    overlapping = {"attempt_id": attempt, "first_sequence": 1, "records": rows}
    assert (await agent.post("records", overlapping)).json() == {"last_sequence": 2}
    found = (await server.admin.get(f"/api/v1/jobs/{job['id']}/measurements")).json()["items"]
    assert [row["in_place"] for row in found] == [False, True]


async def test_after_a_gap_nothing_is_stored_and_the_agent_is_told_where_to_go_on(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    body = {"attempt_id": attempt, "first_sequence": 5, "records": [measurement()]}
    assert (await agent.post("records", body)).json() == {"last_sequence": 0}
    assert (await server.admin.get(f"/api/v1/jobs/{job['id']}/measurements")).json()["items"] == []


async def test_iterations_become_rows_of_steps(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    kind = {"algorithm": "ring", "transport": "mpi", "in_place": False, "bytes": 4096}
    told = {
        "type": "iterations", "rank": 1, "first_step": 0, "op": "all_reduce", "bus_factor": 1.0, "kinds": [kind],
        "blocks": [(0, 2, 10**18)], "duration_ns": [10_000, 11_500], "pause_ns": [500, 0],
    }  # fmt: skip
    await agent.records(attempt, told)
    found = (await server.admin.get(f"/api/v1/jobs/{job['id']}/steps", params={"rank": 1})).json()["items"]
    assert [(row["step"], row["duration_us"], row["communication_us"], row["compute_us"]) for row in found] == [
        (0, 10.0, 10.0, 0.0),
        (1, 11.5, 11.5, 0.0),
    ]
    assert found[1]["started_at_ns"] - found[0]["started_at_ns"] == 10_500


async def test_a_malformed_record_is_counted_and_does_not_block_the_rest(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    ragged = steps() | {"duration_us": [1.0]}
    await agent.records(attempt, {"type": "nonsense"}, ragged, measurement())
    assert len((await server.admin.get(f"/api/v1/jobs/{job['id']}/measurements")).json()["items"]) == 1
    assert server.services.monitoring.rejected["malformed"] == 2


@pytest.mark.parametrize(
    ("seed", "lines"), [(0, 12), *(pytest.param(seed, 30, marks=pytest.mark.long) for seed in range(5))]
)
async def test_however_batches_come_each_record_is_stored_once_and_in_order(
    server: Server, seed: int, lines: int
) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    draw = random.Random(seed)
    spool = [{"type": "log", "rank": 0, "stream": "stdout", "time_ns": i, "text": f"line {i}"} for i in range(lines)]
    stored = 0
    while stored < len(spool):
        first, count = draw.randint(1, len(spool)), draw.randint(0, 8)  # repeated, overlapping, or after a gap
        batch = spool[first - 1 : first - 1 + count]
        body = {"attempt_id": attempt, "first_sequence": first, "records": batch}
        answers = await asyncio.gather(*(agent.post("records", body) for _ in range(draw.randint(1, 3))))
        if first <= stored + 1:
            stored = max(stored, first - 1 + len(batch))
        assert {answer.json()["last_sequence"] for answer in answers} == {stored}
    found = (await server.admin.get(f"/api/v1/jobs/{job['id']}/log")).json()["items"]
    assert [line["text"] for line in found] == [line["text"] for line in spool]


async def test_records_that_no_column_can_hold_are_counted_and_passed_over(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    infinite, huge = measurement(time_us=float("inf")), measurement(size_bytes=2**63)
    late, far = measurement(time_ns=2**63), steps(rank=2**31)
    records = [infinite, measurement(busbw_gb_per_s=float("nan")), huge, late, far, measurement()]
    body = {"epoch": agent.epoch, "attempt_id": attempt, "first_sequence": 1, "records": records}
    headers = {"Content-Type": "application/json"}
    url = f"/api/v1/agents/{agent.name}/records"
    answer = await (await agent.speaker()).post(url, content=json.dumps(body), headers=headers)
    assert answer.json() == {"last_sequence": 6}
    assert len((await server.admin.get(f"/api/v1/jobs/{job['id']}/measurements")).json()["items"]) == 1
    assert server.services.monitoring.rejected["malformed"] == 5


@pytest.mark.parametrize("value", [1e308, -1.0, -(2.0**31)])
@pytest.mark.parametrize("name", ["time_us", "time_low_us", "busbw_gb_per_s", "stdev_us", "p99_us"])
async def test_a_number_that_nothing_could_have_measured_is_passed_over(
    server: Server, name: str, value: float
) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    answer = await agent.records(attempt, measurement(**{name: value}), measurement(in_place=True))
    assert answer.json() == {"last_sequence": 2}, "what comes behind it is stored"
    (row,) = (await server.admin.get(f"/api/v1/jobs/{job['id']}/measurements")).json()["items"]
    assert row["in_place"]
    BenchmarkSummary.model_validate((await server.job(job["id"]))["summary"])


@pytest.mark.parametrize(
    "more",
    [
        {"algorithm": "mpi", "collective": "foo"},
        {"collective": "broadcast"},
        {"dtype": "float64"},
        {"op": "max"},
        {"ranks": 0},
        {"ranks": -5},
        {"count": 0},
        {"count": 2**40},
        {"size_bytes": -1024},
        {"size_bytes": 2048, "count": 512},
        {"algorithm": "direct"},
        {"wrong": 2**63 - 1},
        {"time_us": 1e-300},
        {"cv_percent": 1e200},
        {"cv_percent": -1.0},
        {"time_ns": 2**63 - 1},
        {"time_ns": -1},
    ],
)
async def test_a_row_that_nobody_asked_for_is_passed_over_and_its_job_goes_on(
    server: Server, more: dict[str, Any]
) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    sure = {"time_low_us": 9.0, "time_high_us": 11.0}
    rows = [measurement(**sure), measurement(in_place=True, **sure), measurement(**sure) | more]
    assert (await agent.records(attempt, *rows)).json() == {"last_sequence": 3}
    assert server.services.monitoring.rejected["malformed"] == 1
    assert (await server.job(job["id"]))["progress"]["done"] == 2
    for event in ("ended", "clean"):
        assert (await agent.report(attempt, event, reason="completed", last_sequence=3)).status_code == 204
    assert (await server.job(job["id"]))["state"] == "succeeded"


async def test_of_foreign_names_no_curve_is_kept(server: Server) -> None:
    agent = await server.node()
    await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.records(attempt, measurement(), *(measurement(f"name {number}") for number in range(50)))
    async with server.services.database.read() as session:
        tally = Tally.model_validate(await session.scalar(select(Attempt.tally).where(Attempt.id == attempt)))
    assert [curve.algorithm for curve in tally.curves] == ["ring"]


async def test_rows_for_which_there_are_no_words_are_kept_and_their_job_ends(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def speechless(_comparison: object) -> str:
        raise KeyError("foo")

    monkeypatch.setattr(summary, "verdict", speechless)
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.records(attempt, measurement(), measurement(in_place=True))
    for event in ("ended", "clean"):
        await agent.report(attempt, event, reason="completed", last_sequence=2)
    ended = await server.job(job["id"])
    assert (ended["state"], ended["summary"]["verdict"]) == ("succeeded", "")
    assert "These rows cannot be judged" in caplog.text


async def test_what_a_rank_prints_is_kept_even_if_no_database_could_hold_it(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    line = {"type": "log", "rank": 0, "stream": "stdout", "time_ns": 1, "text": "core\0dump \ud800 \u00e9"}
    body = {"epoch": agent.epoch, "attempt_id": attempt, "first_sequence": 1, "records": [line]}
    headers = {"Content-Type": "application/json"}
    url = f"/api/v1/agents/{agent.name}/records"
    assert (await (await agent.speaker()).post(url, content=json.dumps(body), headers=headers)).status_code == 200
    (found,) = (await server.admin.get(f"/api/v1/jobs/{job['id']}/log")).json()["items"]
    assert found["text"] == "core\ufffddump \ufffd \u00e9"


async def test_a_wrong_element_stands_in_the_log_and_the_summary(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    check = {
        "type": "check",
        "rank": 1,
        "op": "all_reduce",
        "algorithm": "ring",
        "in_place": False,
        "size_bytes": 1024,
        "wrong": 2,
        "first_index": 17,
        "want": "3.0",
        "got": "4.0",
        "time_ns": 1,
    }
    await agent.records(attempt, check, measurement(wrong=2))
    (line,) = (await server.admin.get(f"/api/v1/jobs/{job['id']}/log")).json()["items"]
    assert "2 wrong elements after all_reduce ring of 1024 bytes" in line["text"]
    assert "element 17, expected 3.0, got 4.0" in line["text"]
    assert (await server.job(job["id"]))["summary"]["wrong"] == 2


async def test_records_of_a_foreign_attempt_are_refused(server: Server) -> None:
    agent = await server.node()
    assert (await agent.records(99, measurement())).status_code == 404


def hello(rank: int, host: str) -> dict[str, object]:
    here: dict[str, object] = {"rank": rank, "local_rank": 0, "ranks": 2, "pid": 70 + rank, "host": host}
    return here | {"type": "hello", "cpus": [0, 1], "numa_node": None, "time_ns": 1}


def environment(rank: int, host: str) -> dict[str, object]:
    return {
        "type": "environment",
        "rank": rank,
        "host": host,
        "ranks": [rank],
        "versions": {"numpy": "2.4.6"},
        "variables": {"OMP_NUM_THREADS": "1"},
        "cpu_model": "x",
        "cores": 2,
        "physical_cores": 2,
        "sockets": 1,
        "numa_nodes": 1,
        "memory_bytes": 1 << 30,
        "time_ns": 1,
    }


async def test_what_nodes_and_ranks_say_of_themselves_is_kept_with_the_attempt(server: Server) -> None:
    first, second = await server.node("n1", slots=1), await server.node("n2", slots=1)
    job = await server.submit(**ONE_SIZE)
    await server.one_pass()
    attempt = (await first.assignments())[-1]["attempt_id"]
    url = f"/api/v1/jobs/{job['id']}/environment"
    assert (await server.admin.get(url)).json() == {"items": []}
    await second.records(attempt, hello(1, "n2"), environment(1, "n2"))
    await first.records(attempt, hello(0, "n1"), environment(0, "n1"), measurement(times_us=[1.0, 2.0]))
    (found,) = (await server.admin.get(url)).json()["items"]
    assert found["attempt"] == 1
    assert [(node["rank"], node["host"], node["versions"]) for node in found["nodes"]] == [
        (0, "n1", {"numpy": "2.4.6"}),
        (1, "n2", {"numpy": "2.4.6"}),
    ]
    assert [(rank["rank"], rank["host"], rank["cpus"]) for rank in found["ranks"]] == [
        (0, "n1", [0, 1]),
        (1, "n2", [0, 1]),
    ]
    assert len((await server.admin.get(f"/api/v1/jobs/{job['id']}/measurements")).json()["items"]) == 1
    assert (await server.admin.get("/api/v1/jobs/999/environment")).status_code == 404


async def test_what_a_rank_says_of_itself_again_stands_in_place_of_it(server: Server) -> None:
    agent = await server.node("n1", slots=2)
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    for host in ("n1", "n2", "n3"):
        await agent.records(attempt, hello(0, host), hello(1, host), environment(0, host))
    (found,) = (await server.admin.get(f"/api/v1/jobs/{job['id']}/environment")).json()["items"]
    assert [(node["rank"], node["host"]) for node in found["nodes"]] == [(0, "n3")]
    assert [(rank["rank"], rank["host"]) for rank in found["ranks"]] == [(0, "n3"), (1, "n3")]


async def test_a_node_speaks_for_no_rank_of_another(server: Server) -> None:
    first, second = await server.node("n1", slots=1), await server.node("n2", slots=1)
    job = await server.submit(**ONE_SIZE)
    await server.one_pass()
    attempt = (await first.assignments())[-1]["attempt_id"]
    told = (hello(0, "n2"), environment(0, "n2"), steps(0), steps(2), hello(2, "n2"))
    assert (await second.records(attempt, *told, steps(1))).json() == {"last_sequence": 6}
    assert server.services.monitoring.rejected["malformed"] == len(told)
    assert (await server.admin.get(f"/api/v1/jobs/{job['id']}/environment")).json() == {"items": []}
    rows = (await server.admin.get(f"/api/v1/jobs/{job['id']}/steps")).json()["items"]
    assert {row["rank"] for row in rows} == {1}


async def test_a_batch_without_end_has_one_finding(server: Server) -> None:
    agent = await server.node()
    body = {"attempt_id": 1, "first_sequence": 1}
    for records in ([1] * 100_000, [{}] * 100_000):
        answer = await agent.post("records", body | {"records": records})
        assert (answer.status_code, len(answer.json()["errors"])) == (422, 1)
