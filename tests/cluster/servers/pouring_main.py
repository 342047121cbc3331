"""Agents of the real client whose ranks are made up, and readers that ask as fast as they are answered.

Run it as ``python -m tests.cluster.servers.pouring_main URL TOKEN JOIN_TOKEN FOLDER``. It writes when it did what into
files in the folder, and does what files there tell: ``cut`` makes the last agent silent, ``freeze`` stops the ranks of
its job.
"""

import asyncio
import itertools
import json
import logging
import sys
import time
from pathlib import Path
from typing import Any

import httpx
from tests.server.conftest import steps

from ringscope.contracts.protocol import Assignment, Pulse, RankPulse, Registration, Report
from ringscope_agent.client import RejectedError, ServerClient

log = logging.getLogger(__name__)

AGENTS = 8
READERS = 24
PATHS = ("/api/v1/jobs?limit=100", "/api/v1/nodes", "/api/v1/jobs/1", "/api/v1/jobs/1/steps?limit=200", "/")
STEPS_IN_A_RECORD = 100
RECORDS_IN_A_BATCH = 5
SEND_SECONDS = 0.25
PULSE_SECONDS = 0.5


class PouringAgent:
    """One node, whose ranks send records without an end unless the folder says otherwise."""

    def __init__(self, url: str, join_token: str, name: str, folder: Path) -> None:
        inventory = {"hostname": name, "os": "Linux", "cpu_model": "x", "cores": 2, "memory_bytes": 1}
        introduction = {
            "name": name,
            "address": name,
            "slots": 1,
            "metrics_address": f"{name}:9465",
            "inventory": inventory,
            "versions": {"ringscope": "0.1.0"},
            "labels": {"half": "first" if int(name[1:]) <= AGENTS // 2 else "second"},
        }
        registration = Registration.model_validate(introduction)
        self._join = ServerClient(url, join_token, registration)
        self._registration, self._url = registration, url
        self._folder = folder
        self._attempts: dict[int, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Register and follow the assignments until cancelled."""
        token = await self._join.join()
        self._client = client = ServerClient(self._url, token, self._registration)
        await client.register()
        seen = -1
        while not self._is_cut:
            directives = await client.poll(seen)
            seen = directives.revision
            for assignment in directives.assignments or ():
                self._follow(assignment)

    @property
    def _is_cut(self) -> bool:
        return self._registration.name == f"n{AGENTS}" and (self._folder / "cut").exists()

    @property
    def _is_frozen(self) -> bool:
        return self._registration.labels["half"] == "first" and (self._folder / "freeze").exists()

    def _follow(self, assignment: Assignment) -> None:
        known = self._attempts.get(assignment.attempt_id)
        if known is None and assignment.desired != "stop":
            self._attempts[assignment.attempt_id] = asyncio.create_task(self._work(assignment))
        elif assignment.desired == "stop":
            if known is not None:
                known.cancel()
            self._attempts[assignment.attempt_id] = asyncio.create_task(self._end(assignment))

    async def _work(self, assignment: Assignment) -> None:
        for event in ("ready", "running"):
            await self._report(assignment, event)
        await asyncio.gather(self._pulses(assignment), self._records(assignment))

    async def _end(self, assignment: Assignment) -> None:
        await self._report(assignment, "ended", reason="rank_signal")
        await self._report(assignment, "clean")

    async def _report(self, assignment: Assignment, event: str, **more: Any) -> None:
        body = {"epoch": 0, "attempt_id": assignment.attempt_id, "event": event} | more
        try:
            await self._client.report(Report.model_validate(body))
        except RejectedError as error:
            log.warning("%s %s: %s", self._registration.name, event, error)

    async def _pulses(self, assignment: Assignment) -> None:
        iterations = 0
        while not self._is_cut:
            await asyncio.sleep(PULSE_SECONDS)
            iterations += 0 if self._is_frozen else 10
            rank = RankPulse(
                rank=assignment.first_rank,
                state="R",
                step=1,
                iterations=iterations,
                untimed=0,
                size_bytes=1024,
                waited_us=1,
                running_us=None,
                queued_us=None,
            )
            time_us = time.monotonic_ns() // 1000
            pulse = Pulse(epoch=0, attempt_id=assignment.attempt_id, time_us=time_us, ranks=[rank])
            await self._client.pulse(pulse)

    async def _records(self, assignment: Assignment) -> None:
        for number in itertools.count():
            if self._is_cut:
                return
            first = number * RECORDS_IN_A_BATCH
            records = [
                json.dumps(steps(assignment.first_rank, (first + i) * STEPS_IN_A_RECORD, STEPS_IN_A_RECORD)).encode()
                for i in range(RECORDS_IN_A_BATCH)
            ]
            try:
                await self._client.send_records(assignment.attempt_id, first + 1, records)
            except RejectedError as error:
                log.warning("%s records: %s", self._registration.name, error)
                return
            await asyncio.sleep(SEND_SECONDS)


async def read(url: str, token: str, number: int, answers: list[tuple[float, int]]) -> None:
    """Ask one thing after the other, as soon as there is an answer."""
    async with httpx.AsyncClient(
        base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60, trust_env=False
    ) as client:
        for path in itertools.islice(itertools.cycle(PATHS), number, None):
            began = time.monotonic()
            try:
                status = (await client.get(path)).status_code
            except httpx.HTTPError:
                status = 0
            answers.append((time.monotonic() - began, status))
            if status in (0, 429, 503):
                await asyncio.sleep(0.2)


async def tell(folder: Path, answers: list[tuple[float, int]]) -> None:
    """Write the times and statuses of the readers' answers to a file each second."""
    while True:
        await asyncio.sleep(1)
        (folder / "answers.json").write_text(json.dumps(answers))


async def main(url: str, token: str, join_token: str, folder: Path) -> None:
    """All of it, until it is killed."""
    agents = [PouringAgent(url, join_token, f"n{number}", folder) for number in range(1, AGENTS + 1)]
    tasks = [asyncio.create_task(agent.run()) for agent in agents]
    while not (folder / "pour").exists():
        await asyncio.sleep(0.1)
        for task in tasks:
            if task.done():
                task.result()
    answers: list[tuple[float, int]] = []
    readers = [read(url, token, number, answers) for number in range(READERS)]
    await asyncio.gather(*tasks, *readers, tell(folder, answers))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4], Path(sys.argv[4])))
