"""Agents as processes of their own, with real MPI ranks, against the fake server of tests/agent."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.agent.conftest import assignment, server  # noqa: F401  # fixtures
from tests.agent.fake_server import TOKEN, FakeServer

RANKS = Path(__file__).parent / "ranks"
PYTHONPATH = [str(RANKS), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]


class AgentProcess:
    """``python -m ringscope_agent`` as people start it."""

    def __init__(self, server: FakeServer, data_dir: Path) -> None:
        self.server = server
        self.data_dir = data_dir
        self.process: asyncio.subprocess.Process | None = None

    async def start(self, *flags: str, **environment: str | None) -> None:
        """Start the agent with these flags and variables; None leaves a variable out."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RINGSCOPE_")}
        ours = {"RINGSCOPE_TOKEN": TOKEN, "PYTHONPATH": os.pathsep.join(PYTHONPATH)} | environment
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "ringscope_agent", "--server", self.server.url, "--name", "n1"),
            *("--slots", "4", "--address", "127.0.0.1", "--metrics-port", "0"),
            *("--data-dir", str(self.data_dir), *flags),
            stderr=asyncio.subprocess.PIPE,
            env=inherited | {name: value for name, value in ours.items() if value is not None},
        )

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

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
async def agent(server: FakeServer, tmp_path: Path) -> AsyncIterator[AgentProcess]:
    agent = AgentProcess(server, tmp_path / "data")
    yield agent
    await agent.close()
