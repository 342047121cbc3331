"""A whole server in this process: real routes, a real database (SQLite and PostgreSQL), a clock that tests turn."""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from fastapi import FastAPI
from tests.postgres import Postgres, running_postgres
from tests.server.on_postgresql import choose_for_postgresql
from tests.server.statements import share_statements

from ringscope.contracts.words.collectives import bus_factor, elements
from ringscope.contracts.words.devices import carrier
from ringscope.contracts.words.dtypes import ITEMSIZE_BYTES
from ringscope_server.app import create_app, prepare, routes, services_for
from ringscope_server.db import schema
from ringscope_server.db.engine import Database
from ringscope_server.db.postgresql import postgresql_url
from ringscope_server.db.sqlite import sqlite_url
from ringscope_server.http import ui
from ringscope_server.scheduler import loop
from ringscope_server.services import Services
from ringscope_server.settings import Settings
from ringscope_server.steady_clock import SteadyClock
from ringscope_server.users import tokens

if find_spec("sniffio") is None:
    # httpx imports it with each request: to look for it in all folders, each time, costs a tenth of a small request.
    sys.modules["sniffio"] = None  # type: ignore[assignment]


@dataclass
class Clock:
    """Time stands still until a test moves it."""

    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    elapsed: float = 0.0  # of the clock that nobody sets

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)
        self.elapsed += seconds

    def go_to(self, time: datetime) -> None:
        """Advance to this time."""
        self.advance((time - self.now).total_seconds())

    def steady(self) -> SteadyClock:
        """Return the clock of a server that starts now."""
        return SteadyClock(self, lambda: self.elapsed)

    def set(self, seconds: float) -> None:
        """Change the clock by this many seconds although no time passes."""
        self.now += timedelta(seconds=seconds)


@dataclass
class Server:
    """The services of a running server, and clients for it."""

    services: Services
    clock: Clock
    transport: httpx.ASGITransport
    admin: httpx.AsyncClient
    clients: list[httpx.AsyncClient] = field(default_factory=list)

    @property
    def api(self) -> FastAPI:
        """The routes."""
        return routes(ui.built_files())

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

    async def person(self, role: str, name: str = "eve") -> httpx.AsyncClient:
        """A client with a fresh personal token."""
        response = await self.admin.post("/api/v1/tokens", json={"name": name, "role": role})
        assert response.status_code == 201, response.text
        return self.client(response.json()["secret"])

    async def speaker(self, node: str = "n1") -> httpx.AsyncClient:
        """A client with a fresh token of this node's own."""
        async with self.services.database.write() as session:
            return self.client(await tokens.create(session, node, "agent", "agent", self.clock(), None, node=node))

    async def submit(self, **spec: Any) -> dict[str, Any]:
        """A job that leaves the rest of its nodes to others, unless it says otherwise."""
        if isinstance(placement := spec.get("placement", {}), dict):
            spec["placement"] = {"exclusive": False} | placement
        response = await self.admin.post("/api/v1/jobs", json=spec)
        assert response.status_code == 201, response.text
        job: dict[str, Any] = response.json()
        return job

    async def follow(self, link: str) -> httpx.AsyncClient:
        """A browser that has followed a login link."""
        browser = self.client()
        answer = await log_in(browser, link)
        assert answer.status_code == 204, answer.text
        return browser

    async def pages(self, path: str, **query: Any) -> list[list[dict[str, Any]]]:
        """The items of each page of a list."""
        found: list[list[dict[str, Any]]] = []
        cursor: dict[str, str] = {}
        while True:
            response = await self.admin.get(f"/api/v1{path}", params=query | cursor)
            assert response.status_code == 200, response.text
            found.append(response.json()["items"])
            if response.json()["next"] is None:
                return found
            cursor = {"cursor": response.json()["next"]}

    async def job(self, job_id: int) -> dict[str, Any]:
        job: dict[str, Any] = (await self.admin.get(f"/api/v1/jobs/{job_id}")).json()
        return job


async def log_in(browser: httpx.AsyncClient, link: str) -> httpx.Response:
    """Log in as the page of a login link does."""
    (secret,) = parse_qs(urlsplit(link).query)["token"]
    return await browser.post("/api/v1/session", json={"token": secret})


@dataclass
class FakeAgent:
    """Speaks an agent's side of the protocol, step by step as a test says."""

    server: Server
    name: str
    slots: int
    labels: dict[str, str]
    epoch: int = 0
    sequence: int = 0
    client: httpx.AsyncClient | None = None

    async def speaker(self) -> httpx.AsyncClient:
        """Return a client that uses the node's own token."""
        if self.client is None:
            self.client = await self.server.speaker(self.name)
        return self.client

    def introduction(self) -> dict[str, Any]:
        """Return the body with which the node registers."""
        return {
            "name": self.name,
            "address": self.name,
            "slots": self.slots,
            "metrics_address": f"{self.name}:9465",
            "inventory": {"hostname": self.name, "os": "Linux", "cpu_model": "x", "cores": 2, "memory_bytes": 1},
            "versions": {"ringscope": "0.1.0"},
            "labels": self.labels,
        }

    async def register(self, **more: Any) -> httpx.Response:
        response = await (await self.speaker()).post("/api/v1/agents/register", json=self.introduction() | more)
        self.epoch = response.json().get("epoch", self.epoch)
        return response

    async def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        body = {"epoch": self.epoch} | body
        return await (await self.speaker()).post(f"/api/v1/agents/{self.name}/{path}", json=body)

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


PERCENTILES = ("min_us", "p5_us", "p10_us", "p50_us", "p90_us", "p95_us", "p99_us", "max_us")


def agree(row: dict[str, Any], said: dict[str, Any]) -> None:
    """Let what was not said of a row's times follow what was: a row that contradicts itself fails its job."""
    if "stdev_us" not in said:
        row["stdev_us"] = row["cv_percent"] * row["mean_us"] / 100
    for place, name in enumerate(PERCENTILES):
        if name in row and name not in said:
            low = [said[other] for other in PERCENTILES[:place] if other in said]
            high = [said[other] for other in PERCENTILES[place + 1 :] if other in said]
            row[name] = min([max([row[name], *low]), *high])
    row["min_us"], row["max_us"] = min(row["min_us"], row["mean_us"]), max(row["max_us"], row["mean_us"])


def measurement(algorithm: str = "ring", size_bytes: int = 1024, **more: Any) -> dict[str, Any]:
    """A record such as rank 0 sends after a timed block: its rates follow from its time, or that from its busbw."""
    row = {
        "type": "measurement",
        "collective": "all_reduce",
        "algorithm": algorithm,
        "transport": carrier(algorithm, "shared_memory"),
        "in_place": False,
        "size_bytes": size_bytes,
        "dtype": "float32",
        "op": "sum",
        "ranks": 2,
        "iterations": 20,
        "time_us": 10.0,
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
    row |= more
    agree(row, more)
    factor = bus_factor(row["collective"], row["ranks"])
    if "busbw_gb_per_s" in more and "time_us" not in more:
        row["time_us"] = size_bytes * factor / (more["busbw_gb_per_s"] * 1e3)
    count, _ = elements(row["collective"], size_bytes, ITEMSIZE_BYTES[row["dtype"]], row["ranks"])
    algbw = size_bytes / (row["time_us"] * 1e3) if row["time_us"] else 0.0
    return {"count": count, "algbw_gb_per_s": algbw, "busbw_gb_per_s": algbw * factor} | row


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
MIGRATED = "migrated"  # the name of a database with the tables of this version


@asynccontextmanager
async def running_server(
    data_dir: Path, clock: Clock, *, poll_seconds: float = 0.05, **settings: Any
) -> AsyncIterator[Server]:
    # Under a clock that stands still a rate limit would be a limit of requests for each test.
    given = Settings(data_dir=data_dir, **({"requests_per_second": 0} | settings))
    # Where a poll must end by news alone, it is held for longer than a server may be told to.
    services = services_for(given.model_copy(update={"poll_seconds": poll_seconds}))
    services.clock = clock.steady()
    share_statements(services.database)
    # Tests make the scheduler's passes themselves.
    app = create_app(services, with_scheduler=False)
    try:
        await prepare(services)
    except Exception:
        await services.database.dispose()
        raise
    async with app.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        server = Server(services, clock, transport, None)  # type: ignore[arg-type]
        server.admin = server.client((data_dir / "admin-token").read_text().strip())
        yield server
        for client in server.clients:
            await client.aclose()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One PostgreSQL for all tests of this process."""
    with running_postgres() as postgres:
        yield postgres


@pytest.fixture(scope="session")
def migrated_postgresql(postgres: Postgres) -> str:
    """The URL of the database that one test after another has."""
    url = postgres.create(MIGRATED)
    asyncio.run(migrate(Database(postgresql_url(url))))
    return url


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file to copy."""
    folder = tmp_path_factory.mktemp("migrated")
    asyncio.run(migrate(Database(sqlite_url(folder))))
    return folder / "ringscope.sqlite3"


async def migrate(database: Database) -> None:
    await schema.upgrade(database.engine)
    await database.dispose()


@pytest.fixture
def postgresql_database(postgres: Postgres, migrated_postgresql: str) -> Iterator[str]:
    """Return the URL of a PostgreSQL database with empty tables, which no other test uses meanwhile."""
    yield migrated_postgresql
    postgres.empty(MIGRATED)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    choose_for_postgresql(items)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the setting ``database_url``; every test of the server runs on both databases."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("migrated_sqlite"), tmp_path)
        return ""
    url: str = request.getfixturevalue("postgresql_database")
    return url


@pytest.fixture
async def server(tmp_path: Path, clock: Clock, database_url: str) -> AsyncIterator[Server]:
    async with running_server(tmp_path, clock, database_url=database_url) as running:
        yield running


@pytest.fixture
async def two_servers(tmp_path: Path, clock: Clock, postgresql_database: str) -> AsyncIterator[tuple[Server, Server]]:
    """Two servers on one PostgreSQL, each with a data directory of its own; their polls last long."""
    paths = (tmp_path / "first", tmp_path / "second")
    for path in paths:
        path.mkdir()
    async with (
        running_server(paths[0], clock, poll_seconds=60, database_url=postgresql_database) as first,
        running_server(paths[1], clock, poll_seconds=60, database_url=postgresql_database) as second,
    ):
        yield first, second
