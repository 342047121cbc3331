"""The table of states."""

from itertools import product
from typing import get_args

from sqlalchemy import update
from tests.server.conftest import ONE_SIZE, Server

from ringscope_server.db.models import Job
from ringscope_server.jobs.states import ACTIVE, TERMINAL, TRANSITIONS, JobState, outcome
from ringscope_server.jobs.transitions import transition

STATES: tuple[JobState, ...] = get_args(JobState)


def test_every_state_has_a_row_and_no_end_state_is_left() -> None:
    assert set(TRANSITIONS) == set(STATES)
    assert all(not TRANSITIONS[state] for state in TERMINAL)


def test_every_state_reaches_an_end() -> None:
    reaching = set(TERMINAL)
    for _ in STATES:
        reaching |= {state for state in STATES if TRANSITIONS[state] & reaching}
    assert reaching == set(STATES)


def test_what_was_started_ends_only_through_stopping() -> None:
    for state in ACTIVE - {"stopping"}:
        assert not TRANSITIONS[state] & TERMINAL


async def test_a_move_happens_with_its_event_or_not_at_all(server: Server) -> None:
    await server.node()
    for before, after in product(STATES, STATES):
        job_id = (await server.submit(**ONE_SIZE))["id"]
        async with server.services.database.write() as session:
            await session.execute(update(Job).where(Job.id == job_id).values(state=before))
        async with server.services.database.write() as session:
            moved = await transition(session, job_id, after, server.clock(), reason="r")
        events = (await server.admin.get(f"/api/v1/jobs/{job_id}/events")).json()["items"][1:]
        assert moved == (after in TRANSITIONS[before])
        assert (await server.job(job_id))["state"] == (after if moved else before)
        assert [(event["before"], event["after"]) for event in events] == ([(before, after)] if moved else [])


def test_only_completed_succeeds() -> None:
    assert outcome("completed") == "succeeded"
    assert outcome("user_cancelled") == "cancelled"
    assert outcome("verification_failed") == "failed"
    assert outcome("anything else") == "failed"
