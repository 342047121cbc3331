"""The application: routes, and what runs beside them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import lru_cache
from pathlib import Path

from fastapi import FastAPI
from fastapi.middleware.gzip import GZipMiddleware
from sqlalchemy.exc import DBAPIError
from starlette.middleware import Middleware
from starlette.routing import Router

from ringscope.contracts.words.version import __version__
from ringscope_server.attempts import gangs
from ringscope_server.background import bus, heartbeats, judging, lateness, steps, upkeep
from ringscope_server.background import detection as insights_loop
from ringscope_server.db import advisory_lock, schema
from ringscope_server.db.engine import Database
from ringscope_server.db.faults import STORAGE_FULL, DatabaseUnusableError, cause_of, fault_of
from ringscope_server.db.lock import unwritable
from ringscope_server.db.postgresql import EncodingError, let_transaction_last, postgresql_url
from ringscope_server.db.sqlite import sqlite_url
from ringscope_server.http import document, problems, reference, ui
from ringscope_server.http.admission import RequestAdmission
from ringscope_server.http.caching import CacheControl
from ringscope_server.http.dependencies import WithServices
from ringscope_server.http.middleware.head import HeadAsGet
from ringscope_server.http.middleware.redirects import RelativeRedirects
from ringscope_server.http.middleware.request_body import RequestBody
from ringscope_server.http.middleware.root_path import RootPath
from ringscope_server.http.middleware.security_headers import SecurityHeaders
from ringscope_server.http.middleware.timing import RequestTimes
from ringscope_server.http.routes import (
    agents,
    comparison,
    diagnoses,
    engine,
    events,
    files,
    imports,
    iterations,
    jobs,
    links,
    log,
    monitoring,
    nodes,
    planning,
    prediction,
    prices,
    results,
    schedules,
    session,
    stream,
    traces,
    training,
    webhooks,
)
from ringscope_server.http.routes import tokens as token_routes
from ringscope_server.scheduler import loop
from ringscope_server.services import Services
from ringscope_server.settings import Settings
from ringscope_server.users import given_tokens, token_files
from ringscope_server.webhooks import courier
from ringscope_server.webhooks.outbox import Outbox

API = "/api/v1"


@lru_cache(maxsize=4)
def routes(page: Path | None) -> FastAPI:
    """Return the application with all routes; ``page`` is the folder of the page's built files.

    It belongs to no server in particular, as each request brings its own (``http/services.py``): FastAPI needs half a
    second to build it.
    """
    app = FastAPI(
        title="Ringscope",
        version=__version__,
        description="Schedules all-reduce benchmarks on worker nodes, measures every step and shows it live.",
        responses=document.RESPONSES,
        docs_url=None,  # FastAPI's own pages load scripts from elsewhere, on the origin that holds people's sessions
        redoc_url=None,
    )
    reference.install(app)
    ui.install(app, page)
    problems.install(app)
    document.install(app)
    # Routes are tried in their order, a router of routers two times over: those that are asked most often come first.
    for router in (
        agents.router,
        prediction.router,
        jobs.router,
        session.router,
        token_routes.router,
        events.router,
        results.router,
        traces.router,
        iterations.router,
        log.router,
        comparison.router,
        training.router,
        diagnoses.router,
        nodes.router,
        links.router,
        engine.router,
        schedules.router,
        planning.router,
        prices.router,
        imports.router,
        files.router,
        webhooks.router,
        stream.router,
        monitoring.discovery,
    ):
        app.include_router(router, prefix=API)
    app.include_router(monitoring.pages)
    return app


def create_app(services: Services, *, with_scheduler: bool = True) -> Router:
    """The whole server around services whose database is prepared; starting it starts the scheduler."""

    @asynccontextmanager
    async def lifespan(app: Router) -> AsyncIterator[None]:
        services.heartbeats.listening.begin(services.now())
        beside = [bus.run(services)]
        watched = ExitStack()
        if with_scheduler:
            services.background_tasks.begin()
            watched.enter_context(services.background_tasks.watched())
            beside += [services.admission.measure(), lateness.run(services)]
            beside += [loop.run(services), heartbeats.run(services)]
            beside += [steps.run(services), upkeep.run(services), upkeep.end_streams(services)]
            beside += [courier.run(services), insights_loop.run(services), judging.run(services)]
            beside.append(services.planner.warm())
        tasks = [asyncio.create_task(work) for work in beside]
        try:
            yield
        finally:
            services.close()
            for task in reversed(tasks):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            watched.close()
            await services.database.dispose()

    page = ui.built_files()
    api = routes(page)
    return Router(
        default=api,
        lifespan=lifespan,
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(GZipMiddleware, minimum_size=1024),
            Middleware(RootPath, root=services.settings.root, page=page),
            Middleware(RequestTimes, api=api, times=services.monitoring.requests),
            Middleware(HeadAsGet),
            Middleware(RelativeRedirects),
            Middleware(CacheControl),
            Middleware(WithServices, services=services),
            Middleware(RequestAdmission, admission=services.admission),
            Middleware(RequestBody, max_bytes=services.settings.max_body_bytes),
        ],
    )


async def prepare(services: Services) -> None:
    """Bring the schema up to date and keep the token files of the CLI and of agents on this machine.

    Raises DatabaseUnusableError when the database cannot be used, DataDirError when the token files cannot be written,
    GivenTokenError for a secret that is in use.
    """
    database = services.database
    try:
        await schema.upgrade(database.engine)
    except schema.UnknownVersionError as error:
        raise DatabaseUnusableError(
            f"{database.label} was made by another version of Ringscope ({error}); "
            f"run that version or choose another {_choice(database)}."
        ) from error
    except EncodingError as error:
        raise DatabaseUnusableError(f"{database.label} {error}") from error
    except DBAPIError as error:
        raise _unusable(database, error) from error
    try:
        await _prepare_rows(services)
    except DBAPIError as error:
        raise _unusable(database, error) from error
    except OSError as error:
        raise unwritable(services.settings.data_path, error) from error


async def _prepare_rows(services: Services) -> None:
    database = services.database
    async with database.write() as session:
        await advisory_lock.hold(session, "leases")
        await services.lease.create(session)
        await given_tokens.register(session, services.settings, services.now())
    async with database.write() as session:
        if not database.is_sqlite:  # it may be every attempt that there ever was
            await (await session.connection()).run_sync(let_transaction_last)
        await gangs.forget_marks(session)
    await token_files.keep(database, services.settings.data_path, services.now())


def _unusable(database: Database, error: DBAPIError) -> DatabaseUnusableError:
    if fault_of(error) is STORAGE_FULL:
        return DatabaseUnusableError(f"{database.label} cannot be used: its disk is full; make room on it.")
    return DatabaseUnusableError(
        f"{database.label} cannot be used ({cause_of(error)}); repair it or choose another {_choice(database)}."
    )


def services_for(settings: Settings) -> Services:
    """Services on the settings' database: PostgreSQL where one is given, else SQLite in the data directory.

    Raises DatabaseUnusableError for a URL that is none.
    """
    url = postgresql_url(settings.database_url) if settings.database_url else sqlite_url(settings.data_path)
    database = Database(url)
    database.before_commit.append(Outbox().fill)
    return Services(settings=settings, database=database)


def _choice(database: Database) -> str:
    return "directory with --data-dir" if database.is_sqlite else "one with --database-url"
