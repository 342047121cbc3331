"""Invariants of a job hold whatever two agents, users and time do to it, in any order."""

import asyncio
from collections.abc import Callable, Coroutine
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import select
from sqlalchemy.orm import selectinload
from tests.server.conftest import ONE_SIZE, FakeAgent, Server, measurement

from ringscope.contracts.words.job_states import ACTIVE, TERMINAL
from ringscope_server.db.models import Allocation, Attempt, Member
from ringscope_server.jobs.reasons import REASONS

pytestmark = pytest.mark.long

TWO_NODES = {**ONE_SIZE, "placement": {"ranks": 2, "nodes": 2}, "max_attempts": 2}
STORIES = st.sampled_from([reason.name for reason in REASONS] + ["struck_by_lightning"])


class GangLife(RuleBasedStateMachine):
    """Two agents that send any reports about every attempt they have ever had."""

    def __init__(
        self, server: Server, agents: list[FakeAgent], wait: Callable[[Coroutine[Any, Any, Any]], Any]
    ) -> None:
        super().__init__()
        self.server, self.agents, self.wait = server, agents, wait
        self.wrong: set[int] = set()  # attempts with a wrong element

    @initialize()
    def submit(self) -> None:
        self.job_id: int = self.wait(self.server.submit(**TWO_NODES))["id"]
        self.one_pass(0)

    @rule(seconds=st.sampled_from([0, 1, 6]))
    def one_pass(self, seconds: int) -> None:
        self.server.clock.advance(seconds)
        for agent in self.agents:
            self.wait(agent.assignments())
        self.wait(self.server.one_pass())

    @rule(
        who=st.integers(0, 1), event=st.sampled_from(["ready", "running", "unclean", "clean"]), back=st.integers(0, 1)
    )
    def report(self, who: int, event: str, back: int) -> None:
        if attempt := self._attempt(back):
            self.wait(self.agents[who].report(attempt, event, message="m"))

    @rule(wrong=st.sampled_from([None, 0, 3]))
    def a_run_that_ends_well_as_far_as_the_agents_know(self, wrong: int | None) -> None:
        if wrong is not None:
            self.both_rows(wrong, 0)
        for event in ("ready", "running", "ended"):
            for agent in self.agents:
                if attempt := self._attempt(0):
                    self.wait(agent.report(attempt, event, reason="completed"))

    @rule(who=st.integers(0, 1), reason=STORIES, back=st.integers(0, 1))
    def ended(self, who: int, reason: str, back: int) -> None:
        if attempt := self._attempt(back):
            self.wait(self.agents[who].report(attempt, "ended", reason=reason, message="m"))

    @rule(wrong=st.sampled_from([0, 3]), back=st.integers(0, 1))
    def late_rows(self, wrong: int, back: int) -> None:
        self.both_rows(wrong, back)

    def both_rows(self, wrong: int, back: int) -> None:
        attempt = self._attempt(back)
        if attempt is None:
            return
        rows = [measurement(), measurement(in_place=True, wrong=wrong)]
        body = {"attempt_id": attempt, "first_sequence": 1, "records": rows}
        answer = self.wait(self.agents[0].post("records", body))
        stored = self.wait(self._rows(attempt))
        assert answer.json() == {"last_sequence": len(stored)} == {"last_sequence": 2}, "each row once"
        if any(stored):
            self.wrong.add(attempt)

    @rule(action=st.sampled_from(["hold", "release", "hold", "release", "cancel"]))
    def a_person(self, action: str) -> None:
        answer = self.wait(self.server.admin.post(f"/api/v1/jobs/{self.job_id}/{action}"))
        assert answer.status_code in (200, 409), answer.text

    @invariant()
    def what_is_always_true(self) -> None:
        job = self.wait(self.server.job(self.job_id))
        attempts: list[Attempt] = self.wait(self._attempts())
        assert [attempt.number for attempt in attempts] == list(range(1, len(attempts) + 1))
        assert all(attempt.finished_at and attempt.reason for attempt in attempts[:-1])
        is_over = not attempts or attempts[-1].finished_at is not None
        assert is_over == (job["state"] not in ACTIVE)
        assert (job["finished_at"] is not None) == (job["state"] in TERMINAL)
        assert (job["pending"] is not None) <= (job["state"] in ("held", "queued"))
        if job["state"] == "succeeded":
            assert attempts[-1].id not in self.wrong
            assert job["progress"]["done"] == 2
        events = self.wait(self.server.admin.get(f"/api/v1/jobs/{self.job_id}/events")).json()["items"]
        moves = [event for event in events if event["after"]]
        assert all(earlier["after"] == later["before"] for earlier, later in pairwise(moves))
        assert moves[-1]["after"] == job["state"]
        self._slots_are_taken_until_they_are_clean(attempts)

    def _slots_are_taken_until_they_are_clean(self, attempts: list[Attempt]) -> None:
        phases = {(member.attempt_id, member.node_id): member.phase for each in attempts for member in each.members}
        for allocation in self.wait(self._allocations([attempt.id for attempt in attempts])):
            is_clean = phases[allocation.attempt_id, allocation.node_id] == "clean"
            assert allocation.is_active == (not is_clean)

    def teardown(self) -> None:
        if not hasattr(self, "job_id"):
            return
        if self.wait(self.server.job(self.job_id))["state"] != "stopping":
            self.wait(self.server.admin.post(f"/api/v1/jobs/{self.job_id}/cancel"))
        for attempt in self.wait(self._attempts()):
            for agent in self.agents:
                self.wait(agent.report(attempt.id, "clean"))
                member = self.wait(agent.assignments())
                assert attempt.id not in [each["attempt_id"] for each in member]
        if not self._is_over():  # it was stopping for something that is tried again
            self.wait(self.server.admin.post(f"/api/v1/jobs/{self.job_id}/cancel"))
        self.what_is_always_true()
        assert self._is_over(), "every job comes to an end"

    def _is_over(self) -> bool:
        return self.wait(self.server.job(self.job_id))["state"] in TERMINAL

    def _attempt(self, back: int) -> int | None:
        attempts = self.wait(self._attempts())
        return attempts[-1 - back].id if len(attempts) > back else None

    async def _attempts(self) -> list[Attempt]:
        async with self.server.services.database.read() as session:
            query = select(Attempt).where(Attempt.job_id == self.job_id).order_by(Attempt.number)
            return list(await session.scalars(query.options(selectinload(Attempt.members))))

    async def _allocations(self, attempts: list[int]) -> list[Allocation]:
        async with self.server.services.database.read() as session:
            return list(await session.scalars(select(Allocation).where(Allocation.attempt_id.in_(attempts))))

    async def _rows(self, attempt: int) -> list[int]:
        async with self.server.services.database.read() as session:
            number = await session.scalar(select(Attempt.number).where(Attempt.id == attempt))
        url = f"/api/v1/jobs/{self.job_id}/measurements"
        rows = (await self.server.admin.get(url, params={"attempt": str(number)})).json()["items"]
        return [row["wrong"] for row in rows]


async def test_no_order_of_news_breaks_a_job(server: Server) -> None:
    agents = [await server.node("n1", 1), await server.node("n2", 1)]
    loop = asyncio.get_running_loop()

    def wait(work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(timeout=60)

    await asyncio.to_thread(
        run_state_machine_as_test,
        lambda: GangLife(server, agents, wait),
        settings=settings(max_examples=20, stateful_step_count=12, deadline=None, derandomize=True),
    )
    async with server.services.database.read() as session:
        assert await session.scalar(select(Member.phase).where(Member.phase != "clean").limit(1)) is None
