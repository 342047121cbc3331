"""``python -m ringscope_server``: one server on one data directory."""

import gc

gc.disable()  # what the imports make stays: to look through it again and again took a third of their time

import argparse
import asyncio
import errno
import json
import logging
import os
import resource
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from types import FrameType

import uvicorn
from pydantic import ValidationError

from ringscope.contracts.address import Address
from ringscope_server.app import create_app, prepare, services_for
from ringscope_server.db.faults import DatabaseUnusableError
from ringscope_server.db.lock import DataDirError, lock_data_dir, make_data_dir, unwritable
from ringscope_server.http.middleware.connections import Connection, Connections, raise_limit
from ringscope_server.services import Services
from ringscope_server.settings import Settings
from ringscope_server.users.given_tokens import GivenTokenError

gc.freeze()
gc.enable()

EXIT_BAD_INPUT = 2
GRACEFUL_SECONDS = 3
ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # no address to connect to, and one at which this machine listens
# A thread that computes gives the interpreter to the event loop after so long; Python's 5 ms are waited for at each of
# the thirty times at which a request goes to the database and back.
SWITCH_SECONDS = 0.0005
LEAST_OPEN_FILES = 64  # the database's connections, sockets and the pipes of its processes


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM. Gives the exit code: 2 with one line on stderr when it cannot start."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it would log the URLs of webhooks, which may hold secrets
    with ExitStack() as held:
        held.callback(os.umask, os.umask(0o077))  # what the server writes nobody else reads
        try:
            settings = read_settings(arguments)
            require_open_files()
            held.enter_context(claim(settings))
            listener = held.enter_context(listen(settings.host, settings.port))
            asyncio.run(prepare_once(settings))
            write_address(settings, listener)
        except (DataDirError, DatabaseUnusableError, GivenTokenError, StartError) as error:
            print(f"ringscope server: {error}", file=sys.stderr)  # noqa: T201  # the terminal is this module's job
            return EXIT_BAD_INPUT
        return serve(settings, listener)


class StartError(Exception):
    """The server cannot start; the message is one sentence for the operator."""


def read_settings(arguments: Sequence[str] | None) -> Settings:
    """Settings from RINGSCOPE_* variables, overridden by flags. Raises StartError for a bad value."""
    parser = argparse.ArgumentParser(prog="ringscope server", description="The Ringscope server.")
    for name, field in Settings.model_fields.items():
        parser.add_argument(f"--{name.replace('_', '-')}", help=field.description)
    given = {name: value for name, value in vars(parser.parse_args(arguments)).items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        got = f"; got {first['input']!r}" if Settings.model_fields[name].repr else ""  # secrets are never printed
        raise StartError(f"--{name.replace('_', '-')}: {first['msg'].lower()}{got}.") from None


def claim(settings: Settings) -> AbstractContextManager[object]:
    """The data directory for this server alone; on PostgreSQL servers may share even that. Raises DataDirError."""
    if not settings.database_url:
        return lock_data_dir(settings.data_path)
    make_data_dir(settings.data_path)
    return nullcontext()


def require_open_files() -> None:
    """Raise the limit of open files. Raises StartError if it stays too low."""
    raise_limit()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if most != resource.RLIM_INFINITY and most < LEAST_OPEN_FILES:
        raise StartError(
            f"It may open {most} files (ulimit -n) and needs {LEAST_OPEN_FILES}; raise the limit with ulimit -n."
        )


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises StartError when the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        # Only the resolver understands the zone of an address such as fe80::1%eth0.
        found = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM) if "%" in host else None
        address = found[0][4] if found else (host, port)
        return socket.create_server(address, family=family, backlog=512)
    except OSError as error:
        cause = (error.strerror or str(error)).partition(" (while")[0]  # socket adds the address once more
        remedy = "port with --port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else "address with --host"
        raise StartError(f"Cannot listen on {Address(host, port)} ({cause}); choose another {remedy}.") from error


async def prepare_once(settings: Settings) -> None:
    """Prepare the database before anything is served, so that a fault is one line and not a failed start-up."""
    services = services_for(settings)
    try:
        await prepare(services)
    finally:
        await services.database.dispose()


def write_address(settings: Settings, listener: socket.socket) -> None:
    """Tell programs of this machine where the server is. Raises DataDirError when that cannot be written."""
    told = json.dumps(
        {"url": url_of(settings, listener), "public_url": settings.public_url.rstrip("/"), "pid": os.getpid()}
    )
    try:
        (settings.data_path / "server.json").write_text(told + "\n")
    except OSError as error:
        raise unwritable(settings.data_path, error) from error


def url_of(settings: Settings, listener: socket.socket) -> str:
    """Return the server's URL, as this machine reaches it."""
    host = ANY_ADDRESS.get(settings.host, settings.host)
    return f"http://{Address(host, listener.getsockname()[1])}{settings.root}"


def serve(settings: Settings, listener: socket.socket) -> int:
    """Run the application on a socket that already listens."""
    services = services_for(settings)
    connections = Connections(raise_limit())
    config = uvicorn.Config(
        create_app(services),
        loop="uvloop",
        http=partial(Connection, connections),  # type: ignore[arg-type]  # it is called, and no more
        ws="none",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
    )
    server = Server(config, services, connections)
    print(f"Ringscope server listens on {url_of(settings, listener)}", flush=True)  # noqa: T201  # the terminal is this module's job
    # Modules, routes and models stay for good: without them a full collection takes 10 ms and not 200, in which nobody
    # is answered.
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    # uvicorn raises the signal again after its shutdown; an orderly end is not an error here.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    server.run(sockets=[listener])
    return 0 if server.started else 1


class Server(uvicorn.Server):
    """uvicorn waits for open requests before it stops; long polls and live streams must hear of it first."""

    def __init__(self, config: uvicorn.Config, services: Services, connections: Connections) -> None:
        super().__init__(config)
        self._services = services
        self._connections = connections

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second."""
        if counter % 10 == 0:
            self._connections.sweep()
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """SIGINT or SIGTERM came."""
        self._services.close()
        super().handle_exit(sig, frame)


if __name__ == "__main__":
    sys.exit(main())
