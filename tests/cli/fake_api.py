"""A server of a few canned answers that remembers what it was asked, and the command line run against it."""

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from ringscope.cli.main import main

BASE = "/api/v1"


@dataclass(frozen=True)
class Asked:
    """A request that the fake server got."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True)
class Answer:
    """An answer of the fake server; a body that is text is sent as it is."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def refusal(status: int, code: str, detail: str, **headers: str) -> Answer:
    return Answer({"title": "", "status": status, "detail": detail, "code": code, "errors": []}, status, headers)


@dataclass(frozen=True)
class Done:
    """The exit code and the output of a command that has ended."""

    code: int
    out: str
    err: str


class FakeApi:
    """``answers`` maps "GET /jobs/1" to what is answered: an Answer, a body, or a list that is used up."""

    def __init__(self, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.url = url
        self.asked: list[Asked] = []
        self.answers: dict[str, Any] = {}
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def run(self, *arguments: str) -> Done:
        """Run one command in this process to its end."""
        self._monkeypatch.setattr(sys, "argv", ["ringscope", *arguments])
        self._capsys.readouterr()
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        captured = self._capsys.readouterr()
        return Done(code, captured.out, captured.err)

    def answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        found = self.answers.get(f"{asked.method} {asked.path}")
        if isinstance(found, list):
            found = found.pop(0) if found else None
        if found is None:
            return refusal(404, "not_found", f"Nobody expected {asked.method} {asked.path}.")
        return found if isinstance(found, Answer) else Answer(found)

    @property
    def last(self) -> Asked:
        return self.asked[-1]


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[FakeApi]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        api = FakeApi(f"http://127.0.0.1:{server.server_port}", monkeypatch, capsys)
        server.api = api  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("RINGSCOPE_URL", api.url)
        monkeypatch.setenv("RINGSCOPE_TOKEN", "secret")
        monkeypatch.setenv("COLUMNS", "240")
        try:
            with monkeypatch.context() as zone:
                zone.setenv("TZ", "UTC")
                time.tzset()
                yield api
        finally:
            time.tzset()
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    def _handle(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        text = self.rfile.read(length).decode()
        url = urlsplit(self.path)
        path = url.path.removeprefix(BASE)
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, path, parse_qs(url.query), headers, json.loads(text) if text else None)
        answer = self.server.api.answer(asked)  # type: ignore[attr-defined]
        body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _handle  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Nothing: stderr is the command's."""


def job(job_id: int = 1, **fields: Any) -> dict[str, Any]:
    """A job as the API shows it."""
    usual = {
        "id": job_id,
        "name": f"n{job_id}",
        "kind": "benchmark",
        "spec": {"name": f"n{job_id}"},
        "state": "queued",
        "reason": None,
        "message": "",
        "advice": f"`ringscope logs {job_id}` has its output.",
        "user": "ada",
        "created_at": "2026-01-02T03:04:05Z",
        "queued_at": "2026-01-02T03:04:05Z",
        "started_at": None,
        "finished_at": None,
        "priority": 50,
        "labels": {},
        "ranks": 2,
        "revision": 3,
        "cloned_from": None,
        "schedule_id": None,
        "not_before": None,
        "excluded_nodes": [],
        "pending": None,
        "progress": {"done": 0, "total": 8},
        "summary": {"best": [], "wrong": 0, "verdict": ""},
        "attempts": [],
    }
    return usual | fields


def items(*found: Any, next: str | None = None) -> dict[str, Any]:
    """A page of a list."""
    return {"items": list(found), "next": next}
