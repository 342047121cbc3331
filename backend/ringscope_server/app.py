"""The application: routes, and what runs beside them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from alembic.util.exc import CommandError
from fastapi import APIRouter, FastAPI
from fastapi.middleware.gzip import GZipMiddleware
from sqlalchemy.exc import DBAPIError

from ringscope import __version__
from ringscope_server.db import schema
from ringscope_server.db.engine import Database, sqlite_url
from ringscope_server.db.lock import DataDirError
from ringscope_server.http import agents, engine, jobs, monitoring, nodes, problems, results, session, stream, ui
from ringscope_server.http.body_limit import BodyLimit
from ringscope_server.http.caching import CacheControl
from ringscope_server.scheduler import loop
from ringscope_server.services import Services
from ringscope_server.settings import Settings
from ringscope_server.users import tokens
from ringscope_server.users.tokens import Role, TokenKind

API = "/api/v1"
# What lies in the data directory for the CLI (admin-token) and the agent of this machine (agent-token).
TOKEN_FILES: tuple[tuple[TokenKind, Role], ...] = (("personal", "admin"), ("agent", "agent"))


def create_app(services: Services, *, with_scheduler: bool = True) -> FastAPI:
    """The whole server around services whose database is prepared; starting it starts the scheduler."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        scheduler = asyncio.create_task(loop.run(services)) if with_scheduler else None
        try:
            yield
        finally:
            services.close()
            if scheduler is not None:
                scheduler.cancel()
                with suppress(asyncio.CancelledError):
                    await scheduler
            await services.database.dispose()

    app = FastAPI(
        title="Ringscope",
        version=__version__,
        description="Schedules all-reduce benchmarks on worker nodes, measures every step and shows it live.",
        lifespan=lifespan,
        responses={"4XX": {"model": problems.ProblemDocument, "description": "What is wrong, as RFC 9457."}},
    )
    app.state.services = services
    app.add_middleware(BodyLimit, max_bytes=services.settings.max_body_bytes)
    app.add_middleware(GZipMiddleware, minimum_size=1024)
    app.add_middleware(CacheControl)
    problems.install(app)
    api = APIRouter(prefix=API)
    for router in (
        session.router,
        jobs.router,
        results.router,
        nodes.router,
        engine.router,
        stream.router,
        monitoring.discovery,
        agents.router,
    ):
        api.include_router(router)
    app.include_router(api)
    app.include_router(session.pages)
    app.include_router(monitoring.pages)
    ui.install(app)
    return app


async def prepare(services: Services) -> None:
    """Bring the schema up to date and keep the token files that CLI and local agent use.

    Raises DataDirError when the database cannot be used.
    """
    try:
        await schema.upgrade(services.database.engine)
    except CommandError as error:
        raise DataDirError(
            f"The database in {services.settings.data_path} was made by another version of Ringscope ({error}); "
            "run that version or choose another directory with --data-dir."
        ) from error
    except DBAPIError as error:
        raise DataDirError(
            f"The database in {services.settings.data_path} cannot be used ({error.orig}); "
            "repair or remove it, or choose another directory with --data-dir."
        ) from error
    for kind, role in TOKEN_FILES:
        path, now = services.settings.data_path / f"{role}-token", services.now()
        async with services.database.write() as session:
            secret = tokens.read_file(path)
            if secret is None or await tokens.find(session, secret, now) is None:
                tokens.write_file(path, await tokens.create(session, role, kind, role, now, None))


def services_for(settings: Settings) -> Services:
    """Services on the embedded database of the settings' data directory."""
    return Services(settings=settings, database=Database(sqlite_url(settings.data_path)))
