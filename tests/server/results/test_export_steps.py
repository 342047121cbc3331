"""A job's steps can be downloaded as a file."""

import csv
import io
import json
from collections import defaultdict

import numpy as np
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from tests.server.conftest import ONE_SIZE, Server, steps

from ringscope_server.results import step_rows
from ringscope_server.results.openmetrics import by_millisecond
from ringscope_server.results.step_spool import StepSpool

START_NS = 1_767_225_600_000_000_000


def told(rank: int, first_step: int = 0, count: int = 40, **more: object) -> dict[str, object]:
    """Steps that follow each other: 400 us each, so that several end in one millisecond."""
    starts = [START_NS + (first_step + index) * 400_000 for index in range(count)]
    times = {"duration_us": [400.0] * count, "compute_us": [100.0] * count, "communication_us": [300.0] * count}
    return steps(rank, first_step, count) | {"start_ns": starts, "exposed_us": [300.0] * count} | times | more


@pytest.fixture
async def job_id(server: Server) -> int:
    """A job of two ranks with 100 steps each, over two collectives."""
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    for first in (0, 40):
        await agent.records(attempt, told(0, first), told(1, first))
    await agent.records(attempt, told(0, 80, 20, op="broadcast"), told(1, 80, 20, op="broadcast", loss=[0.5] * 20))
    return int(job["id"])


async def export(server: Server, job_id: int, format: str, **query: object) -> str:
    response = await server.admin.get(f"/api/v1/jobs/{job_id}/steps/export", params={"format": format, **query})
    assert response.status_code == 200, response.text
    ending = {"openmetrics": "om"}.get(format, format)
    assert f'filename="ringscope-job-{job_id}-steps.{ending}"' in response.headers["content-disposition"]
    return response.text


@pytest.mark.parametrize("batch_rows", [7, 2_000])
async def test_csv_and_ndjson_have_what_the_list_has(
    server: Server, job_id: int, batch_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_rows, "BATCH_ROWS", batch_rows)
    page = (await server.admin.get(f"/api/v1/jobs/{job_id}/steps", params={"limit": 500})).json()["items"]
    assert len(page) == 200
    assert [json.loads(line) for line in (await export(server, job_id, "ndjson")).splitlines()] == page
    rows = list(csv.DictReader(io.StringIO(await export(server, job_id, "csv"))))
    assert [(int(row["rank"]), int(row["step"]), float(row["duration_us"])) for row in rows] == [
        (step["rank"], step["step"], step["duration_us"]) for step in page
    ]
    some = await export(server, job_id, "ndjson", rank=1, algorithm="ring")
    assert {json.loads(line)["rank"] for line in some.splitlines()} == {1}


async def test_openmetrics_has_the_counters_of_the_agents_page(
    server: Server, job_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_rows, "BATCH_ROWS", 7)
    text = await export(server, job_id, "openmetrics")
    found = defaultdict(list)
    for family in text_string_to_metric_families(text):  # refuses series in pieces and times that go back
        for sample in family.samples:
            labels = {name: value for name, value in sample.labels.items() if name not in ("job_id", "node")}
            assert (sample.labels["job_id"], sample.labels["node"]) == (str(job_id), "n1")
            found[sample.name, *labels.values()].append((float(sample.timestamp or 0), sample.value))
    count = found["ringscope_rank_steps_total", "0"]
    assert count[0][1] == 0 and count[-1][1] == 100
    assert [value for _, value in count] == sorted(value for _, value in count)
    assert count[-1][0] == pytest.approx(START_NS / 1e9 + 0.040)
    assert len({time for time, _ in count}) == len(count) == 42, "one sample for each of 40 ms, the first and the zero"
    for op, collectives in (("all_reduce", 80), ("broadcast", 20)):
        assert found["ringscope_rank_collectives_total", "1", op][-1][1] == collectives
        assert found["ringscope_rank_collective_seconds_total", "1", op][-1][1] == pytest.approx(collectives * 3e-4)
        assert found["ringscope_rank_collective_bus_bytes_total", "1", op][-1][1] == collectives * 1024
        assert {value for _, value in found["ringscope_rank_last_collective_duration_seconds", "1", op]} == {3e-4}


async def test_what_there_is_not_is_told(server: Server) -> None:
    assert (await server.admin.get("/api/v1/jobs/77/steps/export")).status_code == 404
    await server.node()
    job = await server.submit(**ONE_SIZE)
    assert (await export(server, job["id"], "openmetrics")) == "# EOF\n"
    assert (await export(server, job["id"], "ndjson")) == ""
    assert (await export(server, job["id"], "csv")).startswith("id,rank,step,")
    answer = await server.admin.get(f"/api/v1/jobs/{job['id']}/steps/export", params={"format": "xlsx"})
    assert answer.status_code == 422 and "format" in answer.text
    assert (await server.admin.get(f"/api/v1/jobs/{job['id']}/steps/export?attempt=3")).status_code == 404


async def test_a_simulation_is_no_traffic(server: Server) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    attempt = await agent.start_next()
    await agent.records(attempt, told(0, transport="simulated"))
    assert (await export(server, job["id"], "openmetrics")) == "# EOF\n"
    assert len((await export(server, job["id"], "ndjson")).splitlines()) == 40


@pytest.mark.parametrize("cut", [1, 2, 3, 100])
def test_batches_do_not_change_what_comes_out(cut: int) -> None:
    times_ns = np.array([1, 900_000, 1_000_000, 1_500_000, 3_000_000, 2_000_000, 3_000_001, 9_000_000])
    values = np.arange(1.0, 9.0)
    batches = [(times_ns[i : i + cut], values[i : i + cut]) for i in range(0, 8, cut)]
    counted = [(ms, value) for part in by_millisecond(batches, True) for ms, value in zip(*part, strict=True)]
    assert counted == [(-1, 0), (0, 3), (1, 10), (3, 28), (9, 36)], "a clock that went back stands still"
    last = [(ms, value) for part in by_millisecond(batches, False) for ms, value in zip(*part, strict=True)]
    assert last == [(0, 2), (1, 4), (3, 7), (9, 8)]


def test_the_spool_gives_each_rank_its_steps_in_order() -> None:
    with StepSpool() as spool:
        for batch in range(3):
            spool.add([(rank, 0, batch * 10 + turn, 1.0, 0.0, 1.0, 8, 8.0) for turn in range(2) for rank in (5, 2)])
        assert spool.ranks == [2, 5]
        assert [end for part in spool.of_rank(5) for end in part["end_ns"].tolist()] == [0, 1, 10, 11, 20, 21]


@pytest.mark.parametrize("offset_seconds", [-1e10, 1e10])
@pytest.mark.parametrize("start_ns", [0, 2**63 - 1])
async def test_however_wrong_a_clock_is_its_steps_are_a_whole_exposition(
    server: Server, offset_seconds: float, start_ns: int
) -> None:
    agent = await server.node()
    job = await server.submit(**ONE_SIZE)
    await server.one_pass()
    told_clock = {"clock_offset_seconds": offset_seconds, "clock_error_seconds": 0.0}
    (assignment,) = (await agent.post("poll", {"seen": -1} | told_clock)).json()["assignments"]
    await server.one_pass()
    for event in ("ready", "running"):
        await agent.report(assignment["attempt_id"], event)
    await agent.records(assignment["attempt_id"], steps(0), steps(1, count=1) | {"start_ns": [start_ns]})
    text = await export(server, job["id"], "openmetrics")
    assert text.endswith("# EOF\n")
    assert any(family.samples for family in text_string_to_metric_families(text))
