"""Checks of every request before a route: the host name, the size, the JSON, and text that cannot be stored."""

from collections.abc import Mapping

from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ringscope.contracts.words.units import is_whole_number
from ringscope_server.http.auth import COOKIE
from ringscope_server.http.middleware import json_text
from ringscope_server.http.origin import is_host
from ringscope_server.http.problems import Problem, invalid, of_database, problem_response
from ringscope_server.services import Services

# A rank printed what an agent sends, and cannot repeat it: it is repaired where a person would get an error.
AGENTS = "/api/v1/agents/"
# For everything but what comes in megabytes: to check more would only block the server.
SMALL_BYTES = 64 << 10
MEDIUM_BYTES = 3 << 20
# For files of users: other tools' logs.
FILES = ("/api/v1/imports", "/api/v1/files")
# For agents' reports, which have the stacks of up to 4,096 ranks, of 4,000 characters each.
LARGE = ("/records", "/reports")
# A pulse has at most 650 bytes of each of 4,096 ranks; a node may have hundreds of network interfaces.
MEDIUM = ("/pulses", "/register")


class ClientGoneError(Exception):
    """The client disconnected before its request was complete."""


class RequestBody:
    """ASGI middleware: reads the body and passes on one that can be stored, or answers 4xx.

    The body is read up to ``max_bytes`` for an agent's records and reports and for users' files, up to
    ``MEDIUM_BYTES`` for an agent's pulses and registrations, and up to ``SMALL_BYTES`` for everything else. Without a
    valid token only little is read. A larger body on an agent's route is then not read at all, and the route answers
    401: a 413 would tell an agent whose token was just revoked that its records will never be accepted.
    """

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self.app = app
        self.max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its complete body, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            _check_host(scope, headers)
            _check_url(scope)
            most_bytes = await self._limit(scope, headers)
            body = await _read(headers, receive, most_bytes) if most_bytes else b""
            if body:
                body = _checked(scope["path"], headers, body)
        except Problem as problem:
            await problem_response(problem)(scope, receive, send)
            return
        except SQLAlchemyError as error:
            trouble = of_database(error)
            if trouble is None:
                raise
            await problem_response(trouble)(scope, receive, send)
            return
        except ClientGoneError:
            return
        await self.app(scope, _replay(body, receive), send)

    async def _limit(self, scope: Scope, headers: Headers) -> int:
        """Return how much of this body is read; 0 for nothing."""
        small = min(self.max_bytes, SMALL_BYTES)
        if scope["path"].startswith(FILES):
            return await self._limit_of_files(scope, headers)
        kind, _, secret = headers.get("authorization", "").partition(" ")
        if not scope["path"].startswith(AGENTS) or kind.lower() != "bearer" or 0 < _declared(headers) <= small:
            return small
        services: Services = scope["state"]["services"]
        token = await services.token_cache.find(services.database, secret.strip(), services.now())
        if token is None:
            return 0
        if token.kind == "agent" and scope["path"].endswith(LARGE):
            return self.max_bytes
        return min(self.max_bytes, MEDIUM_BYTES) if token.kind == "agent" and scope["path"].endswith(MEDIUM) else small

    async def _limit_of_files(self, scope: Scope, headers: Headers) -> int:
        """Return the large limit for a known token or session, whose files may have megabytes."""
        small = min(self.max_bytes, SMALL_BYTES)
        if 0 < _declared(headers) <= small:
            return small
        services: Services = scope["state"]["services"]
        _, _, secret = headers.get("authorization", "").partition(" ")
        secret = secret.strip() or cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        token = await services.token_cache.find(services.database, secret, services.now()) if secret else None
        return small if token is None else self.max_bytes


def _declared(headers: Headers) -> int:
    """Return the declared bytes; 0 for a chunked body."""
    length = headers.get("content-length", "0")
    return int(length) if is_whole_number(length) else 0


async def _read(headers: Headers, receive: Receive, most_bytes: int) -> bytes:
    if _declared(headers) > most_bytes:
        raise _too_large(most_bytes)
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most_bytes:
            raise _too_large(most_bytes)
        more = message.get("more_body", False)
    return b"".join(parts)


def _too_large(most_bytes: int) -> Problem:
    sentence = f"The request body is larger than {most_bytes} bytes; send less at a time."
    return Problem(413, "body_too_large", sentence)


def _check_host(scope: Scope, headers: Headers) -> None:
    named = headers.getlist("host")
    is_missing = not named and scope.get("http_version") == "1.1"
    if is_missing or len(named) > 1 or not all(map(is_host, named)):
        # No link or redirection may be built from it, whatever is requested (RFC 9112, section 3.2).
        sentence = "The header Host must be one name or address, such as 127.0.0.1:8000 or [::1]:8000; send it so."
        raise Problem(400, "invalid_host", sentence)


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
    if path.startswith(AGENTS):
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
