"""Start a server and one agent on this machine together, optionally with a Prometheus, and end them together."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ringscope.cli.connection import served_url, token
from ringscope.cli.console import complain
from ringscope.cli.formatting import node_state
from ringscope.cli.patience import LOOK_SECONDS, Patience
from ringscope.cli.processes.children import Child, Children
from ringscope.cli.processes.prometheus import Prometheus, find_prometheus, start_prometheus
from ringscope.client import Client, ServerAwayError, is_ready
from ringscope.contracts.errors import UserError
from ringscope.engine.cores import own_cores
from ringscope.rank.mpiexec import find_mpiexec

AWAY_SECONDS = 5.0  # `up` starts no second agent, so it need not wait for ranks that the first one left
DEATH_SECONDS = 0.5  # a killed process closes its sockets just before it can be waited for


@dataclass(frozen=True)
class StackOptions:
    """Options of `up` and `demo`."""

    data_dir: Path
    host: str
    port: int
    slots: int
    metrics_port: int | None = None  # None: the agent's default port, or any free one
    prometheus_port: int | None = None  # None: without Prometheus
    scripts: Path | None = None  # None: without scripts
    allow_env: tuple[str, ...] = ()  # patterns; empty: the agent's default
    nccl_ras: str = ""  # HOST:PORT; empty: the agent asks none


@dataclass(frozen=True)
class Stack:
    """A running server and agent, and an administrator's connection to them."""

    client: Client
    children: Children
    node: str
    slots: int
    prometheus: Prometheus | None


@contextmanager
def running_stack(options: StackOptions) -> Iterator[Stack]:
    """Start all, wait until the node can take work, and end all on the way out.

    Raises UserError for errors that the user can fix, and ChildDiedError if a process ends by itself.
    """
    prometheus = None if options.prometheus_port is None else find_prometheus(options.prometheus_port)
    find_mpiexec()  # refuse early on a machine on which ranks cannot run
    data_dir = options.data_dir.expanduser()
    node = socket.gethostname()
    with Children(data_dir / "logs") as children:
        server = children.start(
            "server",
            _server_arguments(options, data_dir, prometheus),
        )
        url = _wait_for_server(children, server, data_dir)
        for sentence in server.warnings:
            complain(sentence)
        with Client(url, token(data_dir)) as client:
            agent = children.start("agent", _agent_arguments(options, url, node, data_dir))
            try:
                wait_for_node(children, client, agent, node)
                for sentence in agent.warnings:
                    if sentence.startswith("metrics_port: "):
                        complain(sentence)
                if prometheus is not None:
                    start_prometheus(prometheus, children, url, data_dir)
                yield Stack(client, children, node, options.slots, prometheus)
            except ServerAwayError:
                _explain(children)
                raise


def default_slots() -> int:
    """Return one slot per core, on a machine with GPUs as well: a demo of one rank would show nothing."""
    return own_cores().at_once


def _server_arguments(options: StackOptions, data_dir: Path, prometheus: Prometheus | None) -> tuple[str, ...]:
    graphs = () if prometheus is None else ("--prometheus-url", prometheus.url)
    return ("--data-dir", str(data_dir), "--host", options.host, "--port", str(options.port), *graphs)


def _agent_arguments(options: StackOptions, url: str, node: str, data_dir: Path) -> tuple[str, ...]:
    flags: dict[str, object] = {
        "--server": url,
        "--name": node,
        "--slots": options.slots,
        "--address": "127.0.0.1",
        "--data-dir": data_dir / "agent",
        "--join-token-file": data_dir / "join-token",
        "--away-seconds": AWAY_SECONDS,
    }
    if options.metrics_port is not None:
        flags["--metrics-port"] = options.metrics_port
    if options.scripts is not None:
        flags["--scripts"] = options.scripts
    if options.nccl_ras:
        flags["--nccl-ras"] = options.nccl_ras
    patterns = [part for pattern in options.allow_env for part in ("--allow-env", pattern)]
    return (*(str(part) for flag in flags.items() for part in flag), *patterns)


def _explain(children: Children) -> None:
    """Check whether a server that does not answer has just died; ``check`` then raises the right error."""
    deadline = time.monotonic() + DEATH_SECONDS
    while time.monotonic() < deadline:
        children.check()
        time.sleep(LOOK_SECONDS)


def _wait_for_server(children: Children, server: Child, data_dir: Path) -> str:
    patience, url = Patience("the server"), None
    for _ in patience:
        children.check()
        url = url or served_url(data_dir, server.pid)
        if url is not None and is_ready(url):
            return url
    raise UserError(f"The server {patience.failure}; see {server.log}.")


def wait_for_node(children: Children, client: Client, agent: Child, name: str) -> None:
    """Wait until the node is up, and print its state if it is not "ready", such as fewer slots than before."""
    started = time.monotonic()
    patience = Patience("the agent", started)
    for _ in patience:
        children.check()
        for node in client.nodes():
            # a node of this name may be known from an earlier run: only a heartbeat after the start counts
            is_fresh = node.heartbeat_age_seconds < time.monotonic() - started
            if node.name == name and node.is_up and is_fresh:
                if (told := node_state(node)) != "ready":
                    complain(f"Node {name} is {told}.")
                return
    raise UserError(f"The agent {patience.failure}; see {agent.log}.")
