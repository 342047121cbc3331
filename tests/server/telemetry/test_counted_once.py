"""However often and in whatever order an agent tells it, no second of a job counts twice."""

import random
from typing import Any

import pytest
from sqlalchemy import inspect, select
from tests.server.conftest import FakeAgent, Server, steps
from tests.server.training_records import TRAINING, epoch, training_steps

from ringscope_server.db.models import Job, RankTotals, Step, Usage

SPOOL = [
    *(training_steps(rank, first) for first in (0, 4, 8) for rank in (0, 1)),
    *(steps(rank, 12) | {"op": "broadcast"} for rank in (0, 1)),
    *map(epoch, (1, 2, 3)),
]


async def tell_once(agent: FakeAgent, attempt: int) -> None:
    for number, record in enumerate(SPOOL, 1):
        await agent.post("records", {"attempt_id": attempt, "first_sequence": number, "records": [record]})


async def tell_in_disorder(agent: FakeAgent, attempt: int, seed: int) -> None:
    """Repeated, overlapping, or after a gap, until all has arrived."""
    draw, stored = random.Random(seed), 0
    while stored < len(SPOOL):
        first = draw.randint(1, len(SPOOL))
        batch = SPOOL[first - 1 : first - 1 + draw.randint(0, 5)]
        body = {"attempt_id": attempt, "first_sequence": first, "records": batch}
        for _ in range(draw.randint(1, 2)):
            stored = (await agent.post("records", body)).json()["last_sequence"]


async def job_of(server: Server, agent: FakeAgent, user: str, seed: int | None) -> dict[str, Any]:
    """Return the counters of a job that ran for a minute; with a seed, each message is sent more than once."""
    times = 1 if seed is None else 3
    person = await server.person("admin", user)
    submitted = await person.post("/api/v1/jobs", json=TRAINING)
    job_id, attempt = submitted.json()["id"], await agent.start_next()
    server.clock.advance(60)
    await agent.assignments()
    await (tell_once(agent, attempt) if seed is None else tell_in_disorder(agent, attempt, seed))
    for event in ("running", "ended", "ready", "ended", "clean"):
        for _ in range(times):
            await agent.report(attempt, event, reason="completed", last_sequence=len(SPOOL))
    for _ in range(times):
        await server.one_pass()
    return await counted(server, job_id, attempt)


async def counted(server: Server, job_id: int, attempt: int) -> dict[str, Any]:
    async with server.services.database.read() as session:
        totals = await session.scalars(select(RankTotals).where(RankTotals.attempt_id == attempt))
        columns = [column.key for column in inspect(RankTotals).column_attrs if column.key != "attempt_id"]
        user = await session.scalar(select(Job.user).where(Job.id == job_id))
        took = select(Step.rank, Step.step, Step.duration_us).where(Step.job_id == job_id).order_by(Step.rank, Step.id)
        used = await session.scalar(select(Usage.slot_seconds).where(Usage.user == user))
        return {
            "state": (await server.job(job_id))["state"],
            "totals": {told.rank: [getattr(told, name) for name in columns] for told in totals},
            "goodput": server.services.monitoring.goodput.ratio(job_id),
            "slot_seconds": used,
            "steps": [tuple(row) for row in await session.execute(took)],
        }


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 10))])
async def test_what_is_told_again_and_again_is_counted_once(server: Server, seed: int) -> None:
    agent = await server.node("n1", 2)
    once, often = await job_of(server, agent, "ann", None), await job_of(server, agent, "bob", seed)
    assert once["state"] == "succeeded" and once["slot_seconds"] and once["goodput"]
    assert often == once
