"""The REST API as the command line uses it: thin, typed, synchronous.

Views are read leniently (unknown fields are kept), so that an older command line works with a newer server.
Bad answers become ApiProblemError with the server's own sentences; no answer becomes ServerAwayError.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType, TracebackType
from typing import Any, Generic, Self, TypeVar

import httpx
from pydantic import BaseModel, ConfigDict

from ringscope.errors import UserError
from ringscope.record import Measurement
from ringscope.spec import JobSpec

TIMEOUT_SECONDS = 30.0
PAGE_ITEMS = 500
FINISHED_STATES = frozenset({"succeeded", "failed", "cancelled"})


class ServerAwayError(UserError):
    """The server did not answer, or the connection broke."""


class ApiProblemError(UserError):
    """The server refused the request; the sentences are its own."""

    def __init__(self, status: int, code: str, sentences: Sequence[str]) -> None:
        super().__init__(*sentences)
        self.status = status
        self.code = code


class View(BaseModel):
    """Base of what the server shows; fields that this version does not know are kept."""

    model_config = ConfigDict(extra="allow")


class Progress(View):
    """How far a sweep is, in rows of its table."""

    done: int
    total: int


class Summary(View):
    """A benchmark in a few words."""

    verdict: str = ""


class Pending(View):
    """Why a job waits."""

    reason: str
    sentence: str


class Attempt(View):
    """One try at running a job: the nodes of its gang, in rank order."""

    nodes: list[str]


class Job(View):
    """A job: where it stands and what came out."""

    id: int
    name: str
    kind: str
    spec: JobSpec
    state: str
    reason: str | None
    message: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    pending: Pending | None
    progress: Progress
    summary: Summary
    attempts: list[Attempt] = []

    @property
    def is_finished(self) -> bool:
        """Nothing about the job will change any more."""
        return self.state in FINISHED_STATES


class Step(View):
    """One step of one rank, with its exact times."""

    rank: int
    step: int
    started_at_ns: int
    duration_us: float


class LogLine(View):
    """A line of output; ``rank`` is None for the launcher's and the agent's own lines."""

    id: int
    node: str
    rank: int | None
    stream: str
    time_ns: int
    text: str


class Node(View):
    """A node: what people want of it (desired) and what it is (observed)."""

    id: int
    name: str
    desired: str
    observed: str
    slots_total: int
    slots_busy: int
    heartbeat_age_seconds: float


class LoginLink(View):
    """A link with a one-time token that logs a browser in."""

    url: str
    expires_at: datetime


@dataclass(frozen=True)
class StreamEvent:
    """One event of the live stream. A "comment" is a sign of life: the first stands for "you are subscribed"."""

    name: str
    id: str | None
    data: dict[str, Any]


ItemT = TypeVar("ItemT")


@dataclass(frozen=True)
class Page(Generic[ItemT]):
    """A page of a list; ``next`` is the cursor of the page after it, None on the last one."""

    items: list[ItemT]
    next: str | None


class Client:
    """A connection to one server with one token. Use it as a context manager."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/")
        self._http = httpx.Client(
            base_url=f"{self.url}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            timeout=TIMEOUT_SECONDS,
            trust_env=False,  # a proxy from the environment must not stand between a user and 127.0.0.1
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def submit(self, body: Mapping[str, Any], idempotency_key: str) -> Job:
        """Create a job. The key makes it safe to try again when the answer was lost."""
        headers = {"Idempotency-Key": idempotency_key}
        return Job.model_validate(self._json("POST", "/jobs", json=body, headers=headers))

    def job(self, job_id: int) -> Job:
        """One job as it is now."""
        return Job.model_validate(self._json("GET", f"/jobs/{job_id}"))

    def jobs(self, state: str | None = None, limit: int = 20) -> list[Job]:
        """The newest jobs, newest first."""
        query: dict[str, str | int] = {"limit": limit} | ({"state": state} if state else {})
        page = self._json("GET", "/jobs", params=query)
        return [Job.model_validate(item) for item in page["items"]]

    def cancel(self, job_id: int) -> Job:
        """Ask for the job to be stopped; its ranks may still be ending when this returns."""
        return Job.model_validate(self._json("POST", f"/jobs/{job_id}/cancel"))

    def measurements(self, job_id: int) -> list[Measurement]:
        """Every row of the sweep's table, in the order they were made."""
        rows: list[Measurement] = []
        cursor: str | None = None
        while True:
            page = self._page(f"/jobs/{job_id}/measurements", cursor)
            rows += map(_measurement, page.items)
            if page.next is None:
                return rows
            cursor = page.next

    def log(self, job_id: int, cursor: str | None = None, rank: int | None = None) -> Page[LogLine]:
        """A page of the job's log, oldest line first; with a rank only that rank's."""
        page = self._page(f"/jobs/{job_id}/log", cursor, {} if rank is None else {"rank": rank})
        return Page([LogLine.model_validate(item) for item in page.items], page.next)

    def first_step(self, job_id: int, rank: int) -> Step | None:
        """The first step that this rank finished, if it has finished one."""
        page = self._json("GET", f"/jobs/{job_id}/steps", params={"rank": rank, "limit": 1})
        return Step.model_validate(page["items"][0]) if page["items"] else None

    def nodes(self) -> list[Node]:
        """All nodes, by name."""
        return [Node.model_validate(item) for item in self._json("GET", "/nodes")["items"]]

    def login_link(self) -> LoginLink:
        """A fresh one-time login link for a browser."""
        return LoginLink.model_validate(self._json("POST", "/login-links"))

    def stream(self, topics: Sequence[str], last_event_id: str | None = None) -> Iterator[StreamEvent]:
        """Live events of the topics until the server ends the stream; resumes after ``last_event_id``.

        Raises ServerAwayError when the connection breaks or stays silent for too long.
        """
        resume = {"Last-Event-ID": last_event_id} if last_event_id else {}
        headers = {"Accept": "text/event-stream", **resume}
        query = {"topics": ",".join(topics)}
        with (
            self._transport_errors(),
            self._http.stream("GET", "/stream", params=query, headers=headers) as response,
        ):
            if response.is_error:
                response.read()
                raise _problem(response)
            yield from parse_events(response.iter_bytes())

    def _page(
        self, path: str, cursor: str | None, filters: Mapping[str, int] = MappingProxyType({})
    ) -> Page[dict[str, Any]]:
        query = {"limit": PAGE_ITEMS, **filters, **({"cursor": cursor} if cursor else {})}
        body = self._json("GET", path, params=query)
        return Page(body["items"], body["next"])

    def _json(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        with self._transport_errors():
            response = self._http.request(method, path, **request)
        if response.is_error:
            raise _problem(response)
        body = response.json()
        if not isinstance(body, dict):
            raise ServerAwayError(f"{self.url} is not a Ringscope server; check RINGSCOPE_URL.")
        return body

    @contextmanager
    def _transport_errors(self) -> Iterator[None]:
        try:
            yield
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise ServerAwayError(
                f"The server at {self.url} does not answer ({error or type(error).__name__}); "
                "start it with `ringscope up` or set RINGSCOPE_URL."
            ) from error


def is_ready(url: str) -> bool:
    """Whether the server there can take work: its /readyz answers 200."""
    try:
        return httpx.get(f"{url}/readyz", trust_env=False).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def parse_events(chunks: Iterator[bytes]) -> Iterator[StreamEvent]:
    """Server-sent events (WHATWG HTML 9.2) out of raw bytes; a comment is an event of that name."""
    name, event_id, data = "message", None, list[str]()
    for line in _lines(chunks):
        if line.startswith(":"):
            yield StreamEvent("comment", event_id, {})
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match field:
            case "event":
                name = value
            case "id":
                event_id = value
            case "data":
                data.append(value)
        if not line:
            if data:
                yield StreamEvent(name, event_id, json.loads("\n".join(data)))
            name, data = "message", []


def _lines(chunks: Iterator[bytes]) -> Iterator[str]:
    # not httpx's iter_lines: it also splits at U+2028 and its kin, which may stand inside a log line's JSON
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.removesuffix(b"\r").decode()


def _measurement(row: dict[str, Any]) -> Measurement:
    known = {name: row[name] for name in Measurement.model_fields if name in row}
    measured_at = datetime.fromisoformat(row["measured_at"])
    return Measurement.model_validate(known | {"time_ns": int(measured_at.timestamp() * 1e9)})


def _problem(response: httpx.Response) -> ApiProblemError:
    """RFC 9457 problem details; anything else (a proxy's page) is told by its status."""
    try:
        body = response.json()
        sentences = [error["detail"] for error in body.get("errors") or []] or [body["detail"]]
        return ApiProblemError(response.status_code, body.get("code", ""), sentences)
    except (ValueError, KeyError, TypeError, AttributeError):
        sentence = f"{response.request.method} {response.url} failed: {response.status_code}."
        return ApiProblemError(response.status_code, "", [sentence])
