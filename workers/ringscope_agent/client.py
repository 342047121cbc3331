"""The agent's side of ringscope.protocol: requests that go on until the server has taken them."""

import asyncio
import logging
import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ValidationError

from ringscope.protocol import Directives, Poll, RecordsAccepted, Registered, Registration, Report

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer", bound=BaseModel)

FIRST_RETRY_SECONDS = 0.1
LAST_RETRY_SECONDS = 3.0
# Longer than the server holds a poll back, shorter than a person's patience with a dead connection.
TIMEOUT = httpx.Timeout(10.0, read=30.0)
_STALE_EPOCH = 409


class TokenRefusedError(Exception):
    """The server does not accept the agent's token (401 or 403)."""


class RejectedError(Exception):
    """The server understood the request and will never take it (any other 4xx)."""


class ServerClient:
    """One agent's connection. Every call retries network errors and 5xx for ever; cancel it to give up.

    Args:
        on_contact: called whenever the server accepted a request.
        transport: another way to reach the server than the network (tests).
    """

    def __init__(
        self,
        server: str,
        token: str,
        registration: Registration,
        on_contact: Callable[[], None] = lambda: None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._registration = registration
        self._on_contact = on_contact
        self._registering = asyncio.Lock()
        self.registered: Registered | None = None
        self._http = httpx.AsyncClient(
            base_url=f"{server}/api/v1/agents/",
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
            timeout=TIMEOUT,
            transport=transport,
            trust_env=False,  # a proxy for the outside world must not stand between agent and server
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def register(self) -> Registered:
        """Introduce this agent. Raises TokenRefusedError, or RejectedError when the server cannot use it."""
        answer = await self._send("register", self._registration.model_dump_json().encode())
        self.registered = _understand(Registered, answer.content)
        logger.info("Registered as %s, epoch %d.", self._registration.name, self.registered.epoch)
        return self.registered

    async def poll(self, seen: int) -> Directives:
        """What should be; answered at once when its revision is not ``seen``."""
        started = self._epoch

        def body(epoch: int) -> bytes:
            # After a new registration the server may be another one, whose revisions mean nothing here.
            return Poll(epoch=epoch, seen=seen if epoch == started else -1).model_dump_json().encode()

        return _understand(Directives, await self._call("poll", body))

    async def report(self, report: Report) -> None:
        """Tell what is. The epoch is filled in."""

        def body(epoch: int) -> bytes:
            return report.model_copy(update={"epoch": epoch}).model_dump_json().encode()

        await self._call("reports", body)

    async def send_records(self, attempt_id: int, first_sequence: int, records: Sequence[bytes]) -> int:
        """Forward raw JSON records; returns the number up to which the server holds them now."""

        def body(epoch: int) -> bytes:
            head = b'{"epoch":%d,"attempt_id":%d,"first_sequence":%d,"records":[' % (
                epoch,
                attempt_id,
                first_sequence,
            )
            return head + b",".join(records) + b"]}"

        return _understand(RecordsAccepted, await self._call("records", body)).last_sequence

    @property
    def _epoch(self) -> int:
        return self.registered.epoch if self.registered is not None else -1

    async def _call(self, what: str, body: Callable[[int], bytes]) -> bytes:
        delays = _delays()
        while True:
            epoch = self._epoch
            answer = await self._send(f"{quote(self._registration.name, safe='')}/{what}", body(epoch))
            if answer.status_code != _STALE_EPOCH:
                return answer.content
            # Two agents under one name would fence each other as fast as they can without this pause.
            await asyncio.sleep(next(delays))
            async with self._registering:
                if self._epoch == epoch:
                    logger.warning("The server has forgotten epoch %d; registering again.", epoch)
                    await self.register()

    async def _send(self, path: str, body: bytes) -> httpx.Response:
        """One request, repeated until there is an answer that is not the server's trouble."""
        delays = _delays()
        while True:
            try:
                answer = await self._http.post(path, content=body)
            except httpx.TransportError as error:
                trouble = str(error) or type(error).__name__
            else:
                if answer.status_code < 500 and answer.status_code != 429:
                    return self._judge(answer)
                trouble = f"it answers {answer.status_code}"
            delay = next(delays)
            log = logger.warning if delay >= 1 else logger.debug
            log("The server cannot be reached (%s); next try in %.1f s.", trouble, delay)
            await asyncio.sleep(delay)

    def _judge(self, answer: httpx.Response) -> httpx.Response:
        if answer.status_code in (401, 403):
            raise TokenRefusedError
        if answer.status_code >= 400 and answer.status_code != _STALE_EPOCH:
            raise RejectedError(f"{answer.status_code} {_detail(answer)}")
        self._on_contact()
        return answer


def _delays() -> Iterator[float]:
    """Doubling waits in seconds, each with jitter so that a cluster's agents do not come back in step."""
    delay = FIRST_RETRY_SECONDS
    while True:
        yield delay * random.uniform(0.5, 1.0)
        delay = min(delay * 2, LAST_RETRY_SECONDS)


def _understand(model: type[Answer], content: bytes) -> Answer:
    try:
        return model.model_validate_json(content)
    except ValidationError:
        raise RejectedError(
            f"its answer is no {model.__name__} that this agent knows; install the same version on both sides."
        ) from None


def _detail(answer: httpx.Response) -> str:
    """The sentence of a problem document (RFC 9457), else the beginning of the body."""

    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return answer.text[:200]
