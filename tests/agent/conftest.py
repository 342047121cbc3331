"""A fake server that speaks the protocol, and an assignment for it to give."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable

import pytest
from tests.agent.fake_server import FakeServer

from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import Assignment, GangMember


async def eventually(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Poll a condition of the operating system, which sends no events, until it holds."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    server = FakeServer()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
def assignment() -> Callable[..., Assignment]:
    def make(attempt_id: int = 7, ranks: int = 2, **benchmark: object) -> Assignment:
        sweep = {"min_bytes": 8, "max_bytes": 1024, "step_factor": 8, "iterations": 3, "warmup": 1} | benchmark
        spec = JobSpec.model_validate({"benchmark": sweep, "placement": {"ranks": ranks}})
        return Assignment(
            attempt_id=attempt_id,
            job_id=40 + attempt_id,
            token=uuid.uuid4().hex,
            desired="prepare",
            member=0,
            gang=[GangMember(node="n1", address="127.0.0.1", slots=ranks)],
            ranks=ranks,
            first_rank=0,
            spec=spec,
            grace_seconds=0.5,
        )

    return make
