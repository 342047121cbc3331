"""The live stream: server-sent events, parsed as they come."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ringscope.client.connection import Connection, problem


@dataclass(frozen=True)
class StreamEvent:
    """One event of the live stream. A "comment" stands for "you are subscribed", a "heartbeat" is a sign of life."""

    name: str
    id: str | None
    data: dict[str, Any]


class StreamRoutes(Connection):
    """/stream."""

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
                raise problem(response)
            yield from parse_events(response.iter_bytes())


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
    # not httpx's iter_lines: it also splits at U+2028 and similar characters, which may be inside a log line's JSON
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.removesuffix(b"\r").decode()
