import asyncio
import contextlib
import os
import sys
import uuid
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from ringscope.protocol import Assignment, GangMember
from ringscope.spec import JobSpec

from .fake_server import TOKEN, FakeServer

RANKS = Path(__file__).parent / "ranks"


async def eventually(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Poll a condition of the operating system, which sends no events, until it holds."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


class AgentProcess:
    """``python -m ringscope_agent`` as people start it."""

    def __init__(self, server: FakeServer, data_dir: Path) -> None:
        self.server = server
        self.data_dir = data_dir
        self.process: asyncio.subprocess.Process | None = None

    async def start(self, *flags: str, **environment: str) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RINGSCOPE_")}
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "ringscope_agent", "--server", self.server.url, "--name", "n1"),
            *("--slots", "4", "--address", "127.0.0.1", "--metrics-port", "0"),
            *("--data-dir", str(self.data_dir), *flags),
            stderr=asyncio.subprocess.PIPE,
            env=inherited | {"RINGSCOPE_TOKEN": TOKEN, "PYTHONPATH": str(RANKS)} | environment,
        )

    def signal(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    async def ended(self, seconds: float = 60.0) -> tuple[int, str]:
        """Exit code and standard error."""
        assert self.process is not None
        async with asyncio.timeout(seconds):
            _, text = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, text.decode()

    async def close(self) -> None:
        if self.process is not None and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.terminate()
            await self.ended()


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    server = FakeServer()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def agent(server: FakeServer, tmp_path: Path) -> AsyncIterator[AgentProcess]:
    agent = AgentProcess(server, tmp_path / "data")
    yield agent
    await agent.close()


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
