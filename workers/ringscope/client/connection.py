"""Requests to one server with one token: what is sent again, what is waited for, and what an error becomes.

Bad answers become ApiProblemError with the server's own sentences; no answer becomes ServerAwayError.
"""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType, TracebackType
from typing import Any, Self

import httpx

from ringscope.client.view import Page
from ringscope.contracts.errors import UserError

TIMEOUT_SECONDS = 30.0
PAGE_ITEMS = 500
PAUSES_SECONDS = (0.1, 0.2, 0.4)  # between tries, when the connection could not be made or broke
LONGEST_WAIT_SECONDS = 30.0  # a longer wait that a server asks for is reported to the user instead
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout)
_ANSWER_LOST = (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)


class ServerAwayError(UserError):
    """The server did not answer, or the connection broke."""


class ApiProblemError(UserError):
    """The server refused the request; the sentences are its own."""

    def __init__(self, status: int, code: str, sentences: Sequence[str]) -> None:
        super().__init__(*sentences)
        self.status = status
        self.code = code


class Connection:
    """The requests that every route is made of. Raises UserError for a token that is none.

    A request that never reached the server is sent again a few times. So is one whose answer was lost, if doing it
    twice is doing it once: a GET, a change that names no revision, a cancel, a POST with its Idempotency-Key.
    """

    def __init__(
        self,
        url: str,
        token: str,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not (token.isascii() and token.isprintable()):
            raise UserError("The token holds characters that no token has; copy it again, and check RINGSCOPE_TOKEN.")
        self.url = self.page_url = url.rstrip("/")  # the second is for people, in links to the page
        self._sleep = sleep
        self._http = httpx.Client(
            base_url=f"{self.url}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            timeout=TIMEOUT_SECONDS,
            trust_env=False,  # a proxy from the environment must not stand between a user and 127.0.0.1
            transport=transport,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def _get(self, path: str, query: Mapping[str, Any] = _NOTHING) -> dict[str, Any]:
        return self._body(self._send("GET", path, is_repeatable=True, params=_given(query)))

    def _create(self, path: str, body: Mapping[str, Any] = _NOTHING, key: str | None = None) -> dict[str, Any]:
        """POST what makes something new; the key lets it be sent again without making it twice."""
        headers = {"Idempotency-Key": key or str(uuid.uuid4())}
        return self._body(self._send("POST", path, is_repeatable=True, json=dict(body), headers=headers))

    def _act(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """POST what has another effect, or is refused, when it is done twice."""
        return self._body(self._send("POST", path, is_repeatable=False, **_json(body)))

    def _bring(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """POST a request that sets a state, so that repeating it changes nothing."""
        return self._body(self._send("POST", path, is_repeatable=True, **_json(body)))

    def _change(self, method: str, path: str, body: Mapping[str, Any], revision: int | None) -> dict[str, Any]:
        """Send a PUT or PATCH; with a revision it is refused if the object was changed since."""
        headers = {} if revision is None else {"If-Match": f'"{revision}"'}
        # a second try of a change that names its revision would be refused because of the first
        return self._body(self._send(method, path, is_repeatable=revision is None, json=dict(body), headers=headers))

    def _remove(self, path: str) -> None:
        self._send("DELETE", path, is_repeatable=False)  # a second try would find nothing

    def _page(self, path: str, query: Mapping[str, Any] = _NOTHING) -> Page[dict[str, Any]]:
        body = self._get(path, {"limit": PAGE_ITEMS, **query})
        if not isinstance(body.get("items"), list):
            raise self._foreign()
        return Page(body["items"], body.get("next"))

    def _items(
        self, path: str, query: Mapping[str, Any] = _NOTHING, limit: int | None = None
    ) -> Iterator[dict[str, Any]]:
        """The items of a list page by page, all of them or ``limit`` at most."""
        left, cursor = limit, None
        while left is None or left > 0:
            size = PAGE_ITEMS if left is None else min(left, PAGE_ITEMS)
            page = self._page(path, {**query, "limit": size, "cursor": cursor})
            yield from page.items if left is None else page.items[:left]
            if page.next is None:
                return
            cursor, left = page.next, None if left is None else left - len(page.items)

    def _text(self, path: str, query: Mapping[str, Any]) -> Iterator[str]:
        """A long answer piece by piece."""
        with self._transport_errors(), self._http.stream("GET", path, params=_given(query)) as response:
            if response.is_error:
                response.read()
                raise problem(response)
            yield from response.iter_text()

    def _send(self, method: str, path: str, is_repeatable: bool, **request: Any) -> httpx.Response:
        again = (*_NEVER_SENT, *_ANSWER_LOST) if is_repeatable else _NEVER_SENT
        for pause in (*PAUSES_SECONDS, None):
            with self._transport_errors():
                try:
                    response = self._http.request(method, path, **request)
                except again:
                    if pause is None:
                        raise
                    self._sleep(pause)
                    continue
            wait = _wait_seconds(response)
            if wait is None or pause is None:
                break
            self._sleep(wait)
        if response.is_error:
            raise problem(response)
        return response

    def _body(self, response: httpx.Response) -> dict[str, Any]:
        try:
            body = response.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise self._foreign()
        return body

    def _foreign(self) -> ServerAwayError:
        return ServerAwayError(f"{self.url} is not a Ringscope server; check RINGSCOPE_URL.")

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
    """Return whether the server can take work: its /readyz answers 200."""
    try:
        return httpx.get(f"{url}/readyz", trust_env=False).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def problem(response: httpx.Response) -> ApiProblemError:
    """Return the RFC 9457 problem details; any other body, such as a proxy's page, becomes its status."""
    try:
        body = response.json()
        sentences = [error["detail"] for error in body.get("errors") or []] or [body["detail"]]
        return ApiProblemError(response.status_code, body.get("code", ""), sentences)
    except (ValueError, KeyError, TypeError, AttributeError):
        sentence = f"{response.request.method} {response.url} failed: {response.status_code}."
        return ApiProblemError(response.status_code, "", [sentence])


def _wait_seconds(response: httpx.Response) -> float | None:
    """Return the Retry-After of a busy server (429, 503) in seconds; None if absent, invalid or above our limit."""
    if response.status_code not in (httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE):
        return None
    try:
        seconds = float(response.headers["Retry-After"])
    except (KeyError, ValueError):
        return None
    return seconds if 0 <= seconds <= LONGEST_WAIT_SECONDS else None


def _json(body: Mapping[str, Any] | None) -> dict[str, Any]:
    return {} if body is None else {"json": dict(body)}


def _given(query: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in query.items() if value is not None and value not in ((), [])}
