"""Measure what many idle nodes cost one server: agents that send heartbeats and hold long polls, on SQLite.

    python -m benchmarks.server.agents [--agents 1000] [--seconds 60]

The server is a real process, and the agents are coroutines of this one: each joins with a join token, registers, and
polls with its own token as a real agent does. The server's processor time is measured instead of the wall time, so that
a busy machine gives the same result. A heartbeat is missed if more than two of them would have fitted between two
polls; the server must not have called any node lost.
"""

import asyncio
import json
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from benchmarks.command import Parser, count, exit_with, quantity
from benchmarks.report import Target, judged

from ringscope.contracts.protocol import HEARTBEAT_SECONDS
from ringscope.rank.parent_death import end_with_parent
from ringscope_server.app import prepare, services_for
from ringscope_server.settings import Settings
from ringscope_server.users import tokens

TARGET_CORE_SHARE = 0.60
MISSED_SECONDS = 2 * HEARTBEAT_SECONDS
SHORTEST_SECONDS = 2 * HEARTBEAT_SECONDS  # every agent has had an answer by then
JOINING_AT_ONCE = 20
INVENTORY = {"hostname": "h", "os": "Linux", "cpu_model": "x", "cores": 64, "memory_bytes": 1 << 38}
VERSIONS = {"ringscope": "0.1.0", "python": "3.13", "mpi": "MPICH 5.0", "mpi4py": "4.1"}


@dataclass
class Tally:
    """The counts that the agents keep."""

    polls: int = 0
    refused: int = 0
    missed: int = 0
    beyond_hold_seconds: list[float] = field(default_factory=list)

    def clear(self) -> None:
        """Reset the counts."""
        self.polls = self.refused = self.missed = 0
        self.beyond_hold_seconds.clear()


@dataclass
class Agent:
    """One simulated node: a connection that is kept, and a poll that is always open."""

    name: str
    port: int
    token: str
    epoch: int = 0
    seen: int = -1

    async def join(self) -> None:
        """Get a token of its own, and register with it."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port)
        _, joined = await self._post("join", {"name": self.name})
        self.token = joined["token"]
        body = {"name": self.name, "address": self.name, "slots": 8, "metrics_address": f"{self.name}:9465"}
        _, registered = await self._post("register", body | {"inventory": INVENTORY, "versions": VERSIONS})
        self.epoch = registered["epoch"]

    async def live(self, tally: Tally) -> None:
        """Poll until cancelled."""
        last = time.monotonic()
        while True:
            started = time.monotonic()
            tally.missed += started - last > MISSED_SECONDS
            last = started
            body = {"epoch": self.epoch, "seen": self.seen, "clock_offset_seconds": 0.0, "clock_error_seconds": 1e-3}
            status, directives = await self._post(f"{self.name}/poll", body)
            if status != 200:
                tally.refused += 1
                await asyncio.sleep(1)
                continue
            hold = HEARTBEAT_SECONDS if directives["revision"] == self.seen else 0.0
            self.seen = directives["revision"]
            tally.polls += 1
            tally.beyond_hold_seconds.append(time.monotonic() - started - hold)

    async def _post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        content = json.dumps(body).encode()
        head = (
            f"POST /api/v1/agents/{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        self._writer.write(head.encode() + content)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer, re.IGNORECASE)
        assert length is not None, answer
        return int(answer.split(b" ", 2)[1]), json.loads(await self._reader.readexactly(int(length[1])))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the numbers beside their targets; 1 when one is missed."""
    parser = Parser(__doc__)
    parser.add_argument("--agents", type=count(), default=1000, help="simulated nodes (%(default)s)")
    longer = quantity(SHORTEST_SECONDS)
    parser.add_argument("--seconds", type=longer, default=60.0, help=f"above {SHORTEST_SECONDS:g} (%(default)s)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        data_dir = Path(scratch)
        join_token = asyncio.run(make_join_token(data_dir))
        with running_server(data_dir) as (server, port):
            share, tally = asyncio.run(load(server, port, join_token, options.agents, options.seconds))
        lost = count_lost(data_dir)
    own = resource.getrusage(resource.RUSAGE_SELF)
    tally.beyond_hold_seconds.sort()
    p99 = tally.beyond_hold_seconds[int(len(tally.beyond_hold_seconds) * 0.99)]
    print(f"{options.agents} agents, {options.seconds:.0f} s, a heartbeat every {HEARTBEAT_SECONDS:.0f} s")
    print(f"server          {share:.1%} of one core")
    print(f"polls           {tally.polls / options.seconds:.0f}/s, {tally.refused} refused")
    print(f"beyond the hold p99 {p99 * 1e3:.0f} ms, slowest {tally.beyond_hold_seconds[-1] * 1e3:.0f} ms")
    print(f"(the agents here took {own.ru_utime + own.ru_stime:.1f} s of processor time in all)")
    return judged(
        [
            Target(f"{options.agents} agents: the server's share of a core", TARGET_CORE_SHARE, share, at_most=True),
            Target("heartbeats missed", 0, tally.missed, at_most=True),
            Target("nodes called lost", 0, lost, at_most=True),
            Target("polls refused", 0, tally.refused, at_most=True),
        ]
    )


async def make_join_token(data_dir: Path) -> str:
    """Prepare the database, and put a join token into it."""
    services = services_for(Settings(data_dir=data_dir))
    await prepare(services)
    async with services.database.write() as session:
        secret = await tokens.create(session, "benchmark", "join", "join", services.now(), None)
    await services.database.dispose()
    return secret


@contextmanager
def running_server(data_dir: Path) -> Iterator[tuple[psutil.Process, int]]:
    """A server process, and the port that it listens on."""
    command = [sys.executable, "-m", "ringscope_server", "--data-dir", str(data_dir), "--port", "0"]
    command += ["--poll-seconds", str(HEARTBEAT_SECONDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=end_with_parent) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield psutil.Process(process.pid), int(line.rsplit(":", 1)[1])
        finally:
            process.terminate()


async def load(server: psutil.Process, port: int, join_token: str, agents: int, seconds: float) -> tuple[float, Tally]:
    """Let every agent live for a while; the server's share of one core meanwhile, and what the agents saw."""
    gate, started = asyncio.Semaphore(JOINING_AT_ONCE), time.monotonic()
    lives: list[asyncio.Task[None]] = []
    tally = Tally()

    async def enter(agent: Agent) -> None:
        async with gate:
            await agent.join()
        lives.append(asyncio.create_task(agent.live(tally)))

    async with asyncio.TaskGroup() as group:
        for number in range(agents):
            group.create_task(enter(Agent(f"n{number}", port, join_token)))
    print(f"{agents} nodes joined and registered in {time.monotonic() - started:.1f} s", flush=True)
    await asyncio.sleep(2 * HEARTBEAT_SECONDS)  # every agent holds its second poll by then
    tally.clear()
    before, start = sum(server.cpu_times()[:2]), time.monotonic()
    done, _ = await asyncio.wait(lives, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
    share = (sum(server.cpu_times()[:2]) - before) / (time.monotonic() - start)
    for life in done:
        life.result()
    for life in lives:
        life.cancel()
    await asyncio.gather(*lives, return_exceptions=True)
    return share, tally


def count_lost(data_dir: Path) -> int:
    """Return how often the server called a node lost."""
    with sqlite3.connect(data_dir / "ringscope.sqlite3") as database:
        (found,) = database.execute("SELECT count(*) FROM events WHERE action = 'node.lost'").fetchone()
    return int(found)


if __name__ == "__main__":
    exit_with(main)
