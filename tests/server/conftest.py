"""A whole server in this process: real routes, a real SQLite file, a clock that tests turn."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from ringscope_server.app import create_app, prepare, services_for
from ringscope_server.scheduler import loop
from ringscope_server.services import Services
from ringscope_server.settings import Settings


@dataclass
class Clock:
    """Time stands still until a test moves it."""

    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class Server:
    """The services of a running server, and clients for it."""

    services: Services
    clock: Clock
    transport: httpx.ASGITransport
    admin: httpx.AsyncClient
    agent: httpx.AsyncClient
    clients: list[httpx.AsyncClient] = field(default_factory=list)

    def client(self, token: str | None = None) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        client = httpx.AsyncClient(transport=self.transport, base_url="http://test", headers=headers)
        self.clients.append(client)
        return client

    async def one_pass(self) -> None:
        await loop.one_pass(self.services)

    async def node(self, name: str = "n1", slots: int = 4, labels: dict[str, str] | None = None) -> "FakeAgent":
        agent = FakeAgent(self, name, slots, labels or {})
        await agent.register()
        return agent

    async def submit(self, **spec: Any) -> dict[str, Any]:
        response = await self.admin.post("/api/v1/jobs", json=spec)
        assert response.status_code == 201, response.text
        job: dict[str, Any] = response.json()
        return job

    async def job(self, job_id: int) -> dict[str, Any]:
        job: dict[str, Any] = (await self.admin.get(f"/api/v1/jobs/{job_id}")).json()
        return job


@dataclass
class FakeAgent:
    """Speaks an agent's side of the protocol, step by step as a test says."""

    server: Server
    name: str
    slots: int
    labels: dict[str, str]
    epoch: int = 0
    sequence: int = 0

    async def register(self) -> httpx.Response:
        body = {
            "name": self.name,
            "address": self.name,
            "slots": self.slots,
            "metrics_address": f"{self.name}:9465",
            "inventory": {"hostname": self.name, "os": "Linux", "cpu_model": "x", "cores": 2, "memory_bytes": 1},
            "versions": {"ringscope": "0.1.0"},
            "labels": self.labels,
        }
        response = await self.server.agent.post("/api/v1/agents/register", json=body)
        self.epoch = response.json().get("epoch", self.epoch)
        return response

    async def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        return await self.server.agent.post(f"/api/v1/agents/{self.name}/{path}", json={"epoch": self.epoch} | body)

    async def assignments(self) -> list[dict[str, Any]]:
        response = await self.post("poll", {"seen": -1})
        assert response.status_code == 200, response.text
        found: list[dict[str, Any]] = response.json()["assignments"]
        return found

    async def report(self, attempt_id: int, event: str, **more: Any) -> httpx.Response:
        return await self.post("reports", {"attempt_id": attempt_id, "event": event} | more)

    async def records(self, attempt_id: int, *records: dict[str, Any]) -> httpx.Response:
        body = {"attempt_id": attempt_id, "first_sequence": self.sequence + 1, "records": list(records)}
        self.sequence += len(records)
        return await self.post("records", body)

    async def start_next(self) -> int:
        """Bring the newest assignment as far as running; gives its attempt."""
        await self.server.one_pass()
        attempt_id: int = (await self.assignments())[-1]["attempt_id"]
        await self.report(attempt_id, "ready")
        await self.report(attempt_id, "running")
        return attempt_id


def measurement(algorithm: str = "ring", size_bytes: int = 1024, **more: Any) -> dict[str, Any]:
    """A record such as rank 0 sends after a timed block."""
    row = {
        "type": "measurement",
        "collective": "all_reduce",
        "algorithm": algorithm,
        "transport": "shared_memory",
        "in_place": False,
        "size_bytes": size_bytes,
        "count": size_bytes // 4,
        "dtype": "float32",
        "op": "sum",
        "ranks": 2,
        "iterations": 20,
        "time_us": 10.0,
        "algbw_gb_per_s": 1.0,
        "busbw_gb_per_s": 1.0,
        "wrong": 0,
        "min_us": 9.0,
        "mean_us": 10.0,
        "p50_us": 10.0,
        "p95_us": 11.0,
        "p99_us": 12.0,
        "max_us": 12.0,
        "stdev_us": 1.0,
        "cv_percent": 10.0,
        "time_ns": 1_767_225_600_000_000_000,
    }
    return row | more


def steps(rank: int = 0, first_step: int = 0, count: int = 3) -> dict[str, Any]:
    """A record of one timed block of one rank."""
    return {
        "type": "steps",
        "rank": rank,
        "first_step": first_step,
        "op": "all_reduce",
        "algorithm": "ring",
        "transport": "shared_memory",
        "in_place": False,
        "bytes": 1024,
        "bus_factor": 1.0,
        "start_ns": [1_767_225_600_000_000_000 + i for i in range(count)],
        "duration_us": [10.0 + i for i in range(count)],
        "communication_us": [10.0] * count,
        "compute_us": [0.0] * count,
        "exposed_us": [10.0] * count,
    }


# One size, one algorithm: a sweep of two rows.
ONE_SIZE = {"benchmark": {"algorithms": ["ring"], "min_bytes": 1024, "max_bytes": 1024}, "placement": {"ranks": 2}}


@asynccontextmanager
async def running_server(data_dir: Path, clock: Clock) -> AsyncIterator[Server]:
    services = services_for(Settings(data_dir=data_dir, poll_seconds=0.05))
    services.now = clock
    # Tests make the scheduler's passes themselves.
    app = create_app(services, with_scheduler=False)
    await prepare(services)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        server = Server(services, clock, transport, None, None)  # type: ignore[arg-type]
        server.admin = server.client((data_dir / "admin-token").read_text().strip())
        server.agent = server.client((data_dir / "agent-token").read_text().strip())
        yield server
        for client in server.clients:
            await client.aclose()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def server(tmp_path: Path, clock: Clock) -> AsyncIterator[Server]:
    async with running_server(tmp_path, clock) as running:
        yield running
