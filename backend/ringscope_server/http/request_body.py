"""Looks at every request before a route does: what is too large, no JSON, or holds text that no database keeps."""

from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ringscope_server.http import json_text
from ringscope_server.http.problems import Problem, invalid, problem_response

# What an agent sends was printed by a rank and cannot be said again: it is mended where a person would be told.
MENDED = "/api/v1/agents/"


class ClientGoneError(Exception):
    """The client hung up before its request was whole."""


class RequestBody:
    """ASGI middleware: reads the body, up to ``max_bytes``, and hands on one that can be stored, or answers 4xx."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self.app = app
        self.max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its whole body, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            _check_url(scope)
            body = await self._read(headers, receive)
            if body:
                body = _checked(scope["path"], headers, body)
        except Problem as problem:
            await problem_response(problem)(scope, receive, send)
            return
        except ClientGoneError:
            return
        await self.app(scope, _replay(body, receive), send)

    async def _read(self, headers: Headers, receive: Receive) -> bytes:
        declared = headers.get("content-length", "0")
        if declared.isdecimal() and int(declared) > self.max_bytes:
            raise self._too_large()
        parts, size, more = [], 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self.max_bytes:
                raise self._too_large()
            more = message.get("more_body", False)
        return b"".join(parts)

    def _too_large(self) -> Problem:
        sentence = f"The request body is larger than {self.max_bytes} bytes; send less at a time."
        return Problem(413, "body_too_large", sentence)


def _check_url(scope: Scope) -> None:
    if "\0" in scope["path"] or b"%00" in scope.get("query_string", b""):
        raise Problem(422, "invalid_request", "The URL holds a NUL character (%00); leave it out.")


def _checked(path: str, headers: Mapping[str, str], body: bytes) -> bytes:
    encoding = headers.get("content-encoding", "identity")
    if encoding != "identity":
        raise Problem(415, "unsupported_encoding", f"Bodies are not read as {encoding}; send them uncompressed.")
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Problem(415, "not_json", "The request body must be JSON; send it with Content-Type: application/json.")
    if path.startswith(MENDED):
        return json_text.mended(body)
    errors = json_text.findings(body)
    if errors:
        raise invalid(errors)
    return body


def _replay(body: bytes, receive: Receive) -> Receive:
    is_told = False

    async def once_and_then_the_rest() -> Message:
        nonlocal is_told
        if is_told:
            return await receive()
        is_told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return once_and_then_the_rest
