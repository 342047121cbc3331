"""A server that speaks ringscope.contracts.protocol and does nothing else: what should be is what a test says."""

import asyncio
import contextlib
import json
import socket
import time
from collections import Counter, defaultdict
from typing import Any

import uvicorn
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ringscope.contracts.protocol import (
    PROBLEM_MEDIA_TYPE,
    Assignment,
    Directives,
    Join,
    Joined,
    Leave,
    Poll,
    Pulse,
    RecordBatch,
    RecordsAccepted,
    Registered,
    Registration,
    Report,
)
from ringscope.contracts.record import RECORD, Iterations, Record

TOKEN = "agent-secret"
JOIN_TOKEN = "join-secret"


def problem(status: int, detail: str) -> Response:
    return JSONResponse({"detail": detail}, status, media_type=PROBLEM_MEDIA_TYPE)


def answer(model: BaseModel) -> Response:
    return Response(model.model_dump_json(), media_type="application/json")


class FakeServer:
    """An ASGI application on a real port, with all requests that it got."""

    def __init__(self) -> None:
        self.token = TOKEN
        self.next_token: str | None = None  # given to an agent that was told to rotate, and not used yet
        self.wants_rotation = False
        self.refusal_of_version = ""  # the answer to each poll, if the agent is too old
        self.name_is_taken = 0  # so many joins are refused
        self.epoch = 0
        self.revision = 0
        self.joined: list[str] = []
        self.registrations: list[Registration] = []
        self.polls: list[Poll] = []
        self.assignments: dict[int, Assignment] = {}
        self.reports: list[Report] = []
        self.records: dict[int, list[dict[str, Any]]] = defaultdict(list)
        self.pulses: list[Pulse] = []
        self.has_left = False
        self.failures_to_give = 0
        self.rejects_records = False
        self.takes_records = 1000  # in one request
        self.dislikes: dict[bytes, int] = {}  # what a record must not hold, and the status if it does
        self.strangers: list[int] = []  # statuses with which a proxy answers in the server's place
        self.strange_joins: list[int] = []  # likewise, of a join
        self.strange_kind = "text/html"
        self.record_requests = 0
        self.adds_to_spec: dict[int, dict[str, Any]] = {}  # fields of a newer version, by attempt
        self.poll_seconds = 1.0
        self.auto = True
        self.changed = asyncio.Condition()
        self.app = Starlette(
            routes=[
                Route("/api/v1/agents/join", self._join, methods=["POST"]),
                Route("/api/v1/agents/register", self._register, methods=["POST"]),
                Route("/api/v1/agents/{node}/rotate", self._rotate, methods=["POST"]),
                Route("/api/v1/agents/{node}/poll", self._poll, methods=["POST"]),
                Route("/api/v1/agents/{node}/reports", self._report, methods=["POST"]),
                Route("/api/v1/agents/{node}/records", self._records, methods=["POST"]),
                Route("/api/v1/agents/{node}/pulses", self._pulse, methods=["POST"]),
                Route("/api/v1/agents/{node}/leave", self._leave, methods=["POST"]),
            ]
        )
        self._uvicorn: uvicorn.Server | None = None
        self._serving: asyncio.Task[None] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Listen; again on the same port after ``stop``, with everything remembered."""
        listening = socket.create_server(("127.0.0.1", self.port))
        self.port = listening.getsockname()[1]
        self._uvicorn = uvicorn.Server(
            uvicorn.Config(self.app, log_level="critical", lifespan="off", ws="none", timeout_graceful_shutdown=0)
        )
        self._serving = asyncio.create_task(self._uvicorn.serve(sockets=[listening]))

    async def stop(self) -> None:
        assert self._uvicorn is not None and self._serving is not None
        self._uvicorn.should_exit = self._uvicorn.force_exit = True
        await self._serving

    async def assign(self, assignment: Assignment) -> None:
        await self._change(lambda: self.assignments.update({assignment.attempt_id: assignment}))

    async def update(self, attempt_id: int, **changes: Any) -> None:
        changed = self.assignments[attempt_id].model_copy(update=changes)
        await self.assign(changed)

    async def forget(self, attempt_id: int) -> None:
        await self._change(lambda: self.assignments.pop(attempt_id))

    async def wait_for(self, event: str, attempt_id: int, seconds: float = 60.0) -> Report:
        """The first report of this kind."""

        def found() -> Report | None:
            return next((r for r in self.reports if r.event == event and r.attempt_id == attempt_id), None)

        await self.wait_until(lambda: found() is not None, seconds)
        report = found()
        assert report is not None
        return report

    async def wait_until(self, predicate: Any, seconds: float = 60.0) -> None:
        """Wait until this holds. Raises TimeoutError, which says what has come by then."""
        try:
            async with asyncio.timeout(seconds), self.changed:
                await self.changed.wait_for(predicate)
        except TimeoutError:
            reports = [(report.attempt_id, report.event, report.message) for report in self.reports]
            records = {attempt: Counter(record["type"] for record in told) for attempt, told in self.records.items()}
            raise TimeoutError(f"after {seconds:g} s: reports {reports}, records {records}") from None

    def parsed(self, attempt_id: int) -> list[Record]:
        """The records of an attempt, with steps in the one form in which the server stores them."""
        records = map(RECORD.validate_python, self.records[attempt_id])
        told = (record.steps() if isinstance(record, Iterations) else [record] for record in records)
        return [record for some in told for record in some]

    async def rotate(self) -> None:
        """Tell the agent to fetch another token, from now on until it uses that token."""

        def want() -> None:
            self.wants_rotation = True

        await self._change(want)

    async def _change(self, change: Any) -> None:
        async with self.changed:
            change()
            self.revision += 1
            self.changed.notify_all()

    async def _told(self) -> None:
        async with self.changed:
            self.changed.notify_all()

    def _refusal(self, request: Request, epoch: int | None) -> Response | None:
        if self.strangers:
            return self._strange(self.strangers.pop())
        shown = request.headers.get("authorization", "").removeprefix("Bearer ")
        if shown and shown == self.next_token:
            self.token, self.next_token, self.wants_rotation = shown, None, False
        if shown != self.token:
            return problem(401, "wrong token")
        if self.failures_to_give > 0:
            self.failures_to_give -= 1
            return problem(503, "busy")
        if epoch is not None and epoch != self.epoch:
            return problem(409, "old epoch")
        return None

    def _strange(self, status: int) -> Response:
        return PlainTextResponse("<h1>Under maintenance</h1>", status, media_type=self.strange_kind)

    async def _join(self, request: Request) -> Response:
        if self.strange_joins:
            return self._strange(self.strange_joins.pop())
        if request.headers.get("authorization") != f"Bearer {JOIN_TOKEN}":
            return problem(401, "wrong token")
        if self.name_is_taken:
            self.name_is_taken -= 1
            return problem(409, "There is a node of this name already.")
        self.joined.append(Join.model_validate_json(await request.body()).name)
        return answer(Joined(token=self.token))

    async def _rotate(self, request: Request) -> Response:
        if refusal := self._refusal(request, None):
            return refusal
        self.next_token = f"{self.token}+"
        return answer(Joined(token=self.next_token))

    async def _register(self, request: Request) -> Response:
        received_ns = time.time_ns()
        if refusal := self._refusal(request, None):
            return refusal
        self.registrations.append(Registration.model_validate_json(await request.body()))
        self.epoch += 1
        await self._told()
        registered = Registered(received_ns=received_ns, sent_ns=time.time_ns(), node_id=1, epoch=self.epoch)
        return answer(registered)

    async def _poll(self, request: Request) -> Response:
        received_ns = time.time_ns()
        poll = Poll.model_validate_json(await request.body())
        self.polls.append(poll)
        if refusal := self._refusal(request, poll.epoch):
            return refusal
        with contextlib.suppress(TimeoutError):
            await self.wait_until(lambda: self.revision != poll.seen or poll.epoch != self.epoch, self.poll_seconds)
        if refusal := self._refusal(request, poll.epoch):
            return refusal
        if self.refusal_of_version:
            return problem(426, self.refusal_of_version)
        directives = Directives(
            received_ns=received_ns,
            sent_ns=time.time_ns(),
            revision=self.revision,
            assignments=list(self.assignments.values()),
            rotate_token=self.wants_rotation,
        )
        told = directives.model_dump(mode="json")
        for given in told["assignments"]:
            given["spec"] |= self.adds_to_spec.get(given["attempt_id"], {})
        return JSONResponse(told)

    async def _report(self, request: Request) -> Response:
        report = Report.model_validate_json(await request.body())
        if refusal := self._refusal(request, report.epoch):
            return refusal
        if report.event == "clean" and report.last_sequence > len(self.records[report.attempt_id]):
            return problem(412, "send the rest")
        self.reports.append(report)
        await self._told()
        if self.auto and report.attempt_id in self.assignments:
            await self._react(report)
        return Response(status_code=204)

    async def _react(self, report: Report) -> None:
        """Change the directives as a scheduler would after this report of a gang of one node."""
        match report.event:
            case "ready":
                await self.update(report.attempt_id, desired="launch")
            case "proxies":
                await self.update(report.attempt_id, proxy=report.proxies[0])
            case "ended" | "refused":
                await self.update(report.attempt_id, desired="stop")
            case "clean":
                await self.forget(report.attempt_id)

    async def _pulse(self, request: Request) -> Response:
        pulse = Pulse.model_validate_json(await request.body())
        if refusal := self._refusal(request, pulse.epoch):
            return refusal
        self.pulses.append(pulse)
        await self._told()
        return Response(status_code=204)

    async def _leave(self, request: Request) -> Response:
        leave = Leave.model_validate_json(await request.body())
        if refusal := self._refusal(request, leave.epoch):
            return refusal
        if self.assignments:
            return problem(412, "still held")
        self.has_left = True
        return Response(status_code=204)

    async def _records(self, request: Request) -> Response:
        self.record_requests += 1
        body = await request.body()
        batch = RecordBatch.model_validate_json(body)
        if refusal := self._refusal(request, batch.epoch):
            return refusal
        if len(batch.records) > self.takes_records:
            return PlainTextResponse("Request Entity Too Large", 413)
        for disliked, status in self.dislikes.items():
            if disliked in body:
                return problem(status, "bad") if status == 422 else PlainTextResponse("<h1>No</h1>", status)
        if self.rejects_records:
            return problem(404, "no such attempt")
        have = self.records[batch.attempt_id]
        if batch.first_sequence <= len(have) + 1:
            have.extend(json.loads(body)["records"][len(have) + 1 - batch.first_sequence :])
        await self._told()
        return answer(RecordsAccepted(last_sequence=len(have)))
