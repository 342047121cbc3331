"""The summary beside a benchmark is that of all of its rows, and a batch reads none of those before it."""

import random
from typing import Any

from sqlalchemy import null, update
from tests.server.conftest import FakeAgent, Server, measurement
from tests.server.statements import asked

from ringscope.contracts.record import Measurement
from ringscope_server.db.models import Attempt
from ringscope_server.jobs.summary import stored, summary_of
from ringscope_server.jobs.tally import Tally

REPEATED = {
    "benchmark": {"algorithms": ["ring", "direct"], "min_bytes": 1024, "max_bytes": 4096, "cycles": 20},
    "placement": {"ranks": 2},
}


def sweep(cycles: int, seed: int = 0) -> list[dict[str, Any]]:
    """Rows whose times scatter, and are often equal."""
    draw = random.Random(seed)
    return [
        measurement(
            algorithm,
            size_bytes,
            in_place=in_place,
            cycle=cycle,
            time_us=(time_us := float(draw.randint(1, 9))),
            time_low_us=time_us * 0.9,
            time_high_us=time_us * 1.1,
            p99_us=float(draw.randint(10, 19)),
            busbw_gb_per_s=draw.randint(1, 99) / 10,
        )
        for cycle in range(cycles)
        for size_bytes in (1024, 2048, 4096)
        for algorithm in ("ring", "direct")
        for in_place in (False, True)
    ]


async def started(server: Server) -> tuple[FakeAgent, int, int]:
    """Node, job and attempt of a benchmark that runs."""
    agent = await server.node()
    job = await server.submit(**REPEATED)
    return agent, job["id"], await agent.start_next()


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    tally = Tally()
    for row in rows:
        tally.add(Measurement.model_validate(row))
    return summary_of(tally).model_dump(mode="json")


def test_each_size_says_whether_its_row_is_unstable_and_the_best_of_how_many_iterations_it_is() -> None:
    told = summary([measurement(size_bytes=size, cv_percent=cv) for size, cv in ((1024, 5.0), (2048, 25.0))])
    assert [size["is_unstable"] for size in told["sizes"]] == [False, True]
    assert [best["iterations"] for best in told["best"]] == [20]
    earlier = [{name: size[name] for name in ("size_bytes", "busbw_gb_per_s")} for size in told["sizes"]]
    assert stored("benchmark", told | {"sizes": earlier}).model_dump()["sizes"][1]["is_unstable"] is False


def test_only_clear_winners_are_told_and_none_with_wrong_elements() -> None:
    times_us = {
        1024: {"ring": 10.0, "direct": 20.0},
        2048: {"ring": 30.0, "direct": 40.0},
        4096: {"ring": 50.0, "direct": 50.5},
    }
    rows = [
        measurement(name, size, time_us=us, time_low_us=us * 0.98, time_high_us=us * 1.02)
        for size, found in times_us.items()
        for name, us in found.items()
    ]
    ring = {"algorithm": "ring", "in_place": False, "min_bytes": 1024, "max_bytes": 2048}
    assert summary(rows)["winners"] == [ring], "out of place, at two sizes of three"
    assert summary(rows[::2])["winners"] == [], "of one algorithm nobody wins"
    assert summary([*rows[:-1], rows[-1] | {"wrong": 1}])["winners"] == []


def test_the_result_at_each_range_of_sizes_is_structured_and_says_what_no_iterations_tell_apart() -> None:
    times_us = {1024: (10.0, 20.0, 30.0), 2048: (30.0, 30.1, 90.0), 4096: (50.0, 50.1, 90.0)}
    rows = [
        measurement(name, size, time_us=us, time_low_us=us * 0.98, time_high_us=us * 1.02)
        for size, found in times_us.items()
        for name, us in zip(("ring", "direct", "mpi"), found, strict=True)
    ]
    told = summary(rows)
    ring = {"algorithms": ["ring"], "is_fastest": False, "min_bytes": 1024, "max_bytes": 4096, "size_count": 3}
    assert (told["results"], told["same_messages"]) == ([ring], [["ring", "direct"]]), "ring is level from 2048 on"
    level = summary(rows[3:])
    both = {
        "algorithms": ["ring", "direct"],
        "is_fastest": False,
        "min_bytes": 2048,
        "max_bytes": 4096,
        "size_count": 2,
    }
    assert level["results"] == [both]
    assert summary([*rows[:-1], rows[-1] | {"wrong": 1}])["results"] == []
    of_four = summary([row | {"ranks": 4} for row in rows])
    assert (of_four["results"], of_four["same_messages"]) == ([ring], [])


async def test_after_each_batch_the_summary_is_that_of_all_rows(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    rows, draw, sent = sweep(cycles=5), random.Random(1), 0
    while sent < len(rows):
        batch = rows[sent : sent + draw.randint(1, 30)]
        await agent.records(attempt, *batch)
        sent += len(batch)
        job = await server.job(job_id)
        assert job["summary"] == summary(rows[:sent])
        assert job["progress"]["done"] == sent


async def test_rows_of_an_earlier_version_which_kept_no_tally_count(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    rows = sweep(cycles=2)
    await agent.records(attempt, *rows[:14])
    async with server.services.database.write() as session:
        await session.execute(update(Attempt).values(tally=null()))
    for row in rows[14:]:
        await agent.records(attempt, row)
    assert (await server.job(job_id))["summary"] == summary(rows)


async def test_each_attempt_has_a_tally_of_its_own(server: Server) -> None:
    agent, job_id, attempt = await started(server)
    rows = sweep(cycles=1)
    await agent.records(attempt, *rows)
    await agent.report(attempt, "ended", reason="agent_restarted", message="The agent of node n1 was stopped.")
    late = sweep(cycles=2)[-1]
    await agent.records(attempt, late)
    await agent.report(attempt, "clean", last_sequence=agent.sequence)
    server.clock.advance(10)
    agent.sequence = 0
    second = await agent.start_next()
    assert (await server.job(job_id))["progress"]["done"] == 0
    again = sweep(cycles=1, seed=2)
    await agent.records(second, *again)
    assert (await server.job(job_id))["summary"] == summary(again)


async def test_a_batch_reads_no_row_that_was_stored_before(server: Server) -> None:
    agent, _, attempt = await started(server)
    rows = sweep(cycles=10)
    await agent.records(attempt, *rows[:-6])
    with asked(server.services.database) as statements:
        for row in rows[-6:]:
            await agent.records(attempt, row)
    assert not [statement for statement in statements if "FROM measurements" in statement]
