"""The table of moves, and the one function that makes them."""

import asyncio
from collections.abc import Callable, Coroutine
from itertools import pairwise, product
from typing import Any, get_args

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import select, update
from tests.server.conftest import ONE_SIZE, Server

from ringscope.contracts.words.job_states import ACTIVE, BY_MOVE, TERMINAL, TRANSITIONS, WAITING, JobState, Move
from ringscope_server.db.models import Job
from ringscope_server.jobs.reasons import REASONS, RETRIES
from ringscope_server.jobs.transitions import transition

pytestmark = pytest.mark.both_databases

STATES: tuple[JobState, ...] = get_args(JobState)
MOVES: tuple[Move, ...] = get_args(Move)

# State by state, as design and documentation have it: what the table must say, written down a second time.
FOLLOWING: dict[str, dict[str, str]] = {
    "held": {"released": "queued", "cancelled": "cancelled"},
    "queued": {"held": "held", "starting": "starting", "failed": "failed", "cancelled": "cancelled"},
    "starting": {"running": "running", "stopping": "stopping"},
    "running": {"stopping": "stopping"},
    "stopping": {"requeued": "queued", "succeeded": "succeeded", "failed": "failed", "cancelled": "cancelled"},
    "succeeded": {},
    "failed": {},
    "cancelled": {},
}


def following(state: str) -> dict[str, str]:
    return {each.move: each.target for each in TRANSITIONS if state in each.origins}


def test_the_table_is_the_one_that_is_wanted() -> None:
    assert {state: following(state) for state in STATES} == FOLLOWING
    assert set(STATES) == WAITING | ACTIVE | TERMINAL


def test_every_move_has_one_row_and_one_event() -> None:
    assert sorted(BY_MOVE) == sorted(MOVES)
    assert len(TRANSITIONS) == len(MOVES)


def test_no_end_state_is_left() -> None:
    assert not any(each.origins & TERMINAL for each in TRANSITIONS)


def test_every_state_reaches_an_end() -> None:
    reaching: set[str] = set(TERMINAL)
    for _ in STATES:
        reaching |= {state for state in STATES if set(following(state).values()) & reaching}
    assert reaching == set(STATES)


def test_what_was_started_ends_or_waits_again_only_through_stopping() -> None:
    for state in ACTIVE - {"stopping"}:
        assert not set(following(state).values()) & (TERMINAL | WAITING)


def test_every_end_state_of_a_reason_can_follow_stopping() -> None:
    assert {reason.end for reason in REASONS} <= set(following("stopping"))
    assert {reason.retry for reason in REASONS} == set(RETRIES)
    assert [reason.name for reason in REASONS if reason.end == "succeeded"] == ["completed"]
    assert all(reason.retry == "never" for reason in REASONS if reason.end != "failed")


async def test_a_move_happens_with_its_event_or_not_at_all(server: Server) -> None:
    await server.node()
    job_id = (await server.submit(**ONE_SIZE))["id"]
    made = []
    for before, move in product(STATES, MOVES):
        async with server.services.database.write() as session:
            await session.execute(update(Job).where(Job.id == job_id).values(state=before))
        moved = await make(server, job_id, move)
        after = FOLLOWING[before].get(move)
        assert moved == (after is not None)
        async with server.services.database.read() as session:
            assert await session.scalar(select(Job.state).where(Job.id == job_id)) == (after or before)
        if moved:
            made.append((f"job.{move}", before, after))
            found = (await events(server, job_id))[1:]
            assert [(event["action"], event["before"], event["after"]) for event in found] == made
    assert len(await events(server, job_id)) == 1 + len(made), "a move that did not happen has no event"


async def test_of_many_callers_at_once_exactly_one_wins(server: Server) -> None:
    await server.node()
    job_id = (await server.submit(**ONE_SIZE))["id"]
    won = await asyncio.gather(*(make(server, job_id, "starting") for _ in range(8)))
    assert sum(won) == 1
    assert [event["action"] for event in await events(server, job_id)] == ["job.submitted", "job.starting"]


async def test_a_transaction_that_fails_leaves_neither_state_nor_event(server: Server) -> None:
    await server.node()
    job_id = (await server.submit(**ONE_SIZE))["id"]
    try:
        async with server.services.database.write() as session:
            assert await transition(session, job_id, "starting", server.clock())
            raise RuntimeError
    except RuntimeError:
        pass
    assert (await server.job(job_id))["state"] == "queued"
    assert [event["action"] for event in await events(server, job_id)] == ["job.submitted"]


async def make(server: Server, job_id: int, move: Move) -> bool:
    async with server.services.database.write() as session:
        return await transition(session, job_id, move, server.clock(), reason="r")


async def events(server: Server, job_id: int) -> list[dict[str, Any]]:
    response = await server.admin.get(f"/api/v1/jobs/{job_id}/events", params={"limit": 1000})
    items: list[dict[str, Any]] = response.json()["items"]
    return items


class OneJob(RuleBasedStateMachine):
    """Any callers in any order, one after another or two at once, on a real job in a real database."""

    def __init__(self, server: Server, wait: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        super().__init__()
        self.server = server
        self.wait = wait
        self.state = "queued"
        self.made: list[str] = ["job.submitted"]

    @initialize(is_held=st.booleans())
    def submit(self, is_held: bool) -> None:
        job = self.wait(self.server.submit(**ONE_SIZE, hold=is_held))
        self.job_id: int = job["id"]
        self.state = job["state"]
        assert self.state == ("held" if is_held else "queued")

    @rule(move=st.sampled_from(MOVES))
    def one_caller(self, move: Move) -> None:
        self._expect([move], [self.wait(make(self.server, self.job_id, move))])

    @rule(moves=st.tuples(st.sampled_from(MOVES), st.sampled_from(MOVES)))
    def two_callers_at_once(self, moves: tuple[Move, Move]) -> None:
        async def both() -> list[bool]:
            return list(await asyncio.gather(*(make(self.server, self.job_id, move) for move in moves)))

        won = self.wait(both())
        in_order = [after(self.state, order) for order in (moves, moves[::-1])]
        # As if one had come after the other, in whichever order.
        assert (won in (in_order[0], in_order[1][::-1])) or moves[0] == moves[1]
        if moves[0] == moves[1]:
            assert sorted(won) == sorted(in_order[0])
        self._expect(list(moves) if won == in_order[0] else list(moves[::-1]), None)

    def _expect(self, moves: list[Move], won: list[bool] | None) -> None:
        for index, move in enumerate(moves):
            allowed = FOLLOWING[self.state]
            if won is not None:
                assert won[index] == (move in allowed)
            if move in allowed:
                self.state = allowed[move]
                self.made.append(f"job.{move}")

    @invariant()
    def the_job_is_where_its_last_event_says(self) -> None:
        found = self.wait(events(self.server, self.job_id))
        assert [event["action"] for event in found] == self.made
        assert all(earlier["after"] == later["before"] for earlier, later in pairwise(found))
        assert not any(event["before"] in TERMINAL for event in found)
        assert found[-1]["after"] == self.wait(self.server.job(self.job_id))["state"] == self.state


def after(state: str, moves: tuple[Move, ...]) -> list[bool]:
    """Return which of the moves happen, one after another."""
    won = []
    for move in moves:
        won.append(move in FOLLOWING[state])
        state = FOLLOWING[state].get(move, state)
    return won


@pytest.mark.long
async def test_no_order_of_callers_breaks_the_table(server: Server) -> None:
    await server.node()
    loop = asyncio.get_running_loop()

    def wait(work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(timeout=30)

    await asyncio.to_thread(
        run_state_machine_as_test,
        lambda: OneJob(server, wait),
        settings=settings(max_examples=15, stateful_step_count=10, deadline=None, derandomize=True),
    )
