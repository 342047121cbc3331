"""A node that is only its side of the protocol: it runs nothing, and tells what it is told to."""

import json
from typing import Any

from benchmarks.server.http_load import Answer, Connection
from benchmarks.server.serving import Serving


class Agent:
    """A node that is only its side of the protocol."""

    def __init__(self, server: Serving, name: str) -> None:
        self._server = server
        self.name = name
        self.epoch = 0

    async def register(self, slots: int) -> None:
        """Let the node join, and introduce it."""
        door = Connection(self._server.url, self._server.join_token)
        joined = await door.request("POST", "/agents/join", json.dumps({"name": self.name}).encode())
        self.connection = Connection(self._server.url, json.loads(joined.body)["token"])
        hardware = {"hostname": self.name, "os": "Linux", "cpu_model": "x", "cores": 2, "memory_bytes": 1 << 30}
        body = {
            "name": self.name,
            "address": self.name,
            "slots": slots,
            "metrics_address": f"{self.name}:9465",
            "inventory": hardware,
            "versions": {},
        }
        answer = await self.connection.request("POST", "/agents/register", json.dumps(body).encode())
        self.epoch = json.loads(answer.body)["epoch"]
        self.seen = -1

    async def poll(self) -> list[dict[str, Any]]:
        """Send one long poll and return the assignments."""
        body = {"epoch": self.epoch, "seen": self.seen}
        answer = await self.connection.request("POST", f"/agents/{self.name}/poll", json.dumps(body).encode())
        directives = json.loads(answer.body)
        self.seen = directives["revision"]
        return directives["assignments"] or []

    async def report(self, attempt_id: object, event: str, reason: str | None = None) -> Answer:
        """News of an attempt."""
        body = {"epoch": self.epoch, "attempt_id": attempt_id, "event": event, "reason": reason}
        return await self.connection.request("POST", f"/agents/{self.name}/reports", json.dumps(body).encode())


async def node(server: Serving, name: str, slots: int) -> Agent:
    """A node that has joined."""
    agent = Agent(server, name)
    await agent.register(slots)
    return agent


def step_record(many: int) -> str:
    """Return a record of ``many`` steps of a benchmark, as JSON."""
    return json.dumps(
        {
            "type": "steps",
            "rank": 0,
            "first_step": 0,
            "op": "all_reduce",
            "algorithm": "ring",
            "transport": "shared_memory",
            "in_place": False,
            "bytes": 1024,
            "bus_factor": 1.0,
            "start_ns": [1_767_225_600_000_000_000 + i for i in range(many)],
            "duration_us": [10.123 + i for i in range(many)],
            "communication_us": [10.123 + i for i in range(many)],
            "compute_us": [0.0] * many,
            "exposed_us": [10.123 + i for i in range(many)],
        }
    )
