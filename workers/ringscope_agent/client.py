"""The agent's side of ringscope.contracts.protocol: requests that are retried until the server has accepted them."""

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ValidationError

from ringscope.contracts.inventory import Lack
from ringscope.contracts.protocol import (
    PROBLEM_MEDIA_TYPE,
    REQUEST_SECONDS,
    Join,
    Joined,
    Leave,
    Poll,
    Pulse,
    RecordsAccepted,
    Registered,
    Registration,
    Report,
    Stamped,
)
from ringscope.contracts.reading import GpuState, NodeRasState, Reading
from ringscope_agent.clock import Exchange, OffsetEstimate
from ringscope_agent.directives import ReadDirectives

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer", bound=BaseModel)
Timed = TypeVar("Timed", bound=Stamped)

FIRST_RETRY_SECONDS = 0.1
LAST_RETRY_SECONDS = 3.0
# The last sign of life that other servers know may be older than a request by a whole poll. Every request may be sent
# again: repeating it changes nothing.
TIMEOUT = httpx.Timeout(REQUEST_SECONDS)
# A firewall on the way may reject the content of one request for ever, while it lets all others pass.
FILTERED_SECONDS = 60.0
MOST_FAULTS = 50  # a registration has a limit
_NO_CONTENT = 204
_CONFLICT = 409  # an old epoch; of a node that joins: the name is taken
_TOO_LARGE = 413
_TOO_OLD = 426  # this agent, for that server
_TOO_MANY = 429
_REFUSED = (401, 403)


class TokenRefusedError(Exception):
    """The server does not accept the agent's token (401 or 403), and there is no other; the message may say why."""


class RejectedError(Exception):
    """The server will never accept the request: any other 4xx of the server, or a 413 of a proxy before it.

    Args:
        status: of the server's answer; 0 if that was not an error but of a type that this agent does not know.
    """

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(f"{status} {sentence}" if status else sentence)
        self.sentence, self.status = sentence, status


class TooOldError(RejectedError):
    """The server accepts no agent of this version any more; the sentence says what to install."""


class NodeLivesError(RejectedError):
    """Another live agent uses this node's name."""


class _Nothing(BaseModel):
    """An answer without content."""


@dataclass(frozen=True)
class _Answer(Generic[Answer]):
    """A server's answer, and when it was asked for and received by this node's clock."""

    server: str
    asked_ns: int
    answered_ns: int
    content: Answer


class ServerClient:
    """One agent's connection. Every call retries network errors and 5xx for ever; cancel it to give up.

    Args:
        server: its URL; several servers of one database are separated by commas. After a failure of one, the next is
            tried, and kept while it answers.
        on_contact: called whenever the server accepted a request.
        renew: returns another token for a refused one and gets whether this agent was registered before; without it, or
            where it raises TokenRefusedError, the call ends with that.
        reading: how busy the node is at a poll.
        ras: what NCCL's RAS said last, if the agent asks it.
        gpus: the newest states of the node's GPUs, if it has any.
        was_here: an earlier run of this agent was registered, and ranks may run: an error of a proxy in place of the
            server is no reason to end. A first start, perhaps with a wrong address, fails at once.
        transport: another way to reach the server than the network (tests).
    """

    def __init__(
        self,
        server: str,
        token: str,
        registration: Registration,
        on_contact: Callable[[], None] = lambda: None,
        transport: httpx.AsyncBaseTransport | None = None,
        renew: Callable[[str, bool], Awaitable[str]] | None = None,
        reading: Callable[[], Reading | None] = lambda: None,
        was_here: bool = False,
        ras: Callable[[], NodeRasState | None] = lambda: None,
        gpus: Callable[[], Sequence[GpuState] | None] = lambda: None,
    ) -> None:
        self._token = token
        self._renew = renew
        self._renewing = asyncio.Lock()
        self._registration = registration
        self._on_contact = on_contact
        self._reading = reading
        self._ras = ras
        self._gpus = gpus
        self._gpu_lacks: list[Lack] = []
        self._was_here = was_here
        self._last_taken = float("-inf")  # when the server took a request, by the monotonic clock
        self._registering = asyncio.Lock()
        self._is_registered = asyncio.Event()
        self.registered: Registered | None = None
        self._servers = server.split(",")
        self._clock = OffsetEstimate()
        self._http = httpx.AsyncClient(
            headers={"Content-Type": "application/json"},
            timeout=TIMEOUT,
            transport=transport,
            trust_env=False,  # a proxy for the outside world must not stand between agent and server
        )

    @property
    def has_gpus(self) -> bool:
        """Return whether the node has registered GPUs."""
        return bool(self._registration.inventory.gpus)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def join(self) -> str:
        """Return a token of this node, in exchange for a join token. Raises TokenRefusedError, NodeLivesError or
        RejectedError.
        """
        join = Join(name=self._registration.name).model_dump_json().encode()
        try:
            return (await self._send(Joined, "join", lambda _: join)).content.token
        except RejectedError as error:
            raise NodeLivesError(error.sentence) if error.status == _CONFLICT else error from None

    async def rotate(self, keep: Callable[[str], None]) -> None:
        """Use a new token from now on. ``keep`` writes it to disk, because its first use invalidates the old one.

        Raises TokenRefusedError or RejectedError, and what ``keep`` does; the old token stays then.
        """
        answer = await self._send(Joined, f"{quote(self._registration.name, safe='')}/rotate", lambda _: b"")
        token = answer.content.token
        keep(token)
        self._token = token
        logger.info("Node %s has a new token.", self._registration.name)

    async def register(self) -> Registered:
        """Register this agent. Raises TokenRefusedError, or RejectedError if the server cannot use it."""
        registration = self._registration.model_dump_json().encode()
        self.registered = self._learn_time(await self._send(Registered, "register", lambda _: registration))
        self._is_registered.set()
        logger.info("Registered as %s, epoch %d.", self._registration.name, self.registered.epoch)
        return self.registered

    async def lack(self, lack: Lack) -> None:
        """Register this agent again because its node lacks something more. Raises as ``register`` does."""
        await self._lacking([*self._registration.inventory.lacks, lack])

    async def gpu_faults(self, sentences: Sequence[str]) -> None:
        """Register this agent again because other faults of its GPUs are known now. Raises as ``register`` does."""
        others = [lack for lack in self._registration.inventory.lacks if lack not in self._gpu_lacks]
        self._gpu_lacks = [Lack(sentence=sentence) for sentence in sentences[:MOST_FAULTS]]
        await self._is_registered.wait()
        await self._lacking([*others, *self._gpu_lacks])

    async def _lacking(self, lacks: list[Lack]) -> None:
        changed = {"inventory": self._registration.inventory.model_copy(update={"lacks": lacks})}
        async with self._registering:
            self._registration = self._registration.model_copy(update=changed)
            await self.register()

    async def poll(self, seen: int) -> ReadDirectives:
        """Return the wanted state; the server answers at once if its revision is not ``seen``."""
        started = self._epoch

        def body(epoch: int, server: str) -> bytes:
            # After a new registration the server may be another one, whose revisions mean nothing here.
            known = seen if epoch == started else -1
            states = self._gpus()
            gpus = list(states) if states else None
            poll = Poll(epoch=epoch, seen=known, reading=self._reading(), nccl_ras=self._ras(), gpus=gpus)
            if clock := self._clock.offset(server, time.monotonic()):
                poll.clock_offset_seconds, poll.clock_error_seconds = clock.offset_seconds, clock.error_seconds
            return poll.model_dump_json().encode()

        return self._learn_time(await self._call(ReadDirectives, "poll", body))

    async def report(self, report: Report) -> None:
        """Send a report with the epoch filled in. Raises TokenRefusedError or RejectedError."""

        def body(epoch: int, _: str) -> bytes:
            return report.model_copy(update={"epoch": epoch}).model_dump_json().encode()

        await self._call(_Nothing, "reports", body)

    async def pulse(self, pulse: Pulse) -> None:
        """Send once how far ranks are; if the server does not accept it, the next pulse covers it. Never raises."""
        name, epoch = quote(self._registration.name, safe=""), self._epoch
        content = pulse.model_copy(update={"epoch": epoch}).model_dump_json().encode()
        with contextlib.suppress(httpx.HTTPError):
            await self._post(self._servers[0], f"{name}/pulses", self._token, content)

    async def leave(self) -> None:
        """Deregister for good; nothing is left on this node. Raises TokenRefusedError or RejectedError."""
        self._renew = None  # where the answer is lost, the token has ended with the node
        await self._call(_Nothing, "leave", lambda epoch, _: Leave(epoch=epoch).model_dump_json().encode())

    async def send_records(self, attempt_id: int, first_sequence: int, records: Sequence[bytes]) -> int:
        """Forward raw JSON records; return the number up to which the server now holds them.

        Raises TokenRefusedError or RejectedError.
        """

        def body(epoch: int, _: str) -> bytes:
            head = b'{"epoch":%d,"attempt_id":%d,"first_sequence":%d,"records":[' % (
                epoch,
                attempt_id,
                first_sequence,
            )
            return head + b",".join(records) + b"]}"

        return (await self._call(RecordsAccepted, "records", body)).content.last_sequence

    @property
    def _epoch(self) -> int:
        return self.registered.epoch if self.registered is not None else -1

    @property
    def _is_known(self) -> bool:
        return self._was_here or self.registered is not None

    def _learn_time(self, answer: _Answer[Timed]) -> Timed:
        stamped = answer.content
        exchange = Exchange(answer.server, answer.asked_ns, stamped.received_ns, stamped.sent_ns, answer.answered_ns)
        self._clock.note(exchange, time.monotonic())
        return stamped

    async def _call(self, expects: type[Answer], what: str, body: Callable[[int, str], bytes]) -> _Answer[Answer]:
        """Send a request; ``body`` makes its content for an epoch and a server's URL."""
        await self._is_registered.wait()
        delays = _delays()
        while True:
            epoch = self._epoch
            try:
                path = f"{quote(self._registration.name, safe='')}/{what}"
                return await self._send(expects, path, partial(body, epoch))
            except RejectedError as error:
                if error.status != _CONFLICT:
                    raise
            # Two agents under one name would fence each other as fast as they can without this pause.
            await asyncio.sleep(next(delays))
            async with self._registering:
                if self._epoch == epoch:
                    logger.warning("The server has forgotten epoch %d; registering again.", epoch)
                    await self.register()

    async def _send(self, expects: type[Answer], path: str, body: Callable[[str], bytes]) -> _Answer[Answer]:
        """Send one request and repeat it until there is an answer that is not a server failure.

        ``body`` makes the content for a server's URL.
        """
        delays, since = _delays(), time.monotonic()
        while True:
            server = self._servers[0]
            content, asked_ns, token = body(server), time.time_ns(), self._token
            try:
                response = await self._post(server, path, token, content)
            except httpx.TransportError as error:
                trouble = str(error) or type(error).__name__
            else:
                if (heard := _understood(expects, response)) is not None:
                    self._last_taken = time.monotonic()
                    self._on_contact()
                    return _Answer(server, asked_ns, time.time_ns(), heard)
                refusal = _rejection(expects, response)
                is_final = response.status_code < 500 and response.status_code != _TOO_MANY
                if is_final and self._is_from_server(response):
                    if response.status_code not in _REFUSED:
                        raise refusal
                    await self._replace(token)
                    await asyncio.sleep(next(delays))
                    continue
                if is_final and refusal.status and self._last_taken > since + FILTERED_SECONDS:
                    raise RejectedError(f"Something before the server refuses it: {refusal}")
                trouble = f"it answers {response.status_code}" if refusal.status else str(refusal)
            if self._servers[0] == server:  # another call may have turned away from it meanwhile
                self._servers = [*self._servers[1:], server]
            delay = next(delays)
            log = logger.warning if delay >= 1 else logger.debug
            log("The server %s cannot be reached (%s); next try in %.1f s.", server, trouble, delay)
            await asyncio.sleep(delay)

    async def _post(self, server: str, path: str, token: str, content: bytes) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"}
        return await self._http.post(f"{server}/api/v1/agents/{path}", content=content, headers=headers)

    async def _replace(self, refused: str) -> None:
        async with self._renewing:
            if self._token != refused:
                return  # it was on its way while another call got a new one
            if self._renew is None:
                raise TokenRefusedError
            self._token = await self._renew(refused, self._is_known)

    def _is_from_server(self, response: httpx.Response) -> bool:
        """Return whether this error comes from the server and not from a proxy under repair, which would cost a running
        job its rows.
        """
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        return kind == PROBLEM_MEDIA_TYPE or response.status_code == _TOO_LARGE or not self._is_known


async def is_server_there(servers: str) -> bool:
    """Return whether one of the servers, separated by commas, gives any answer but a server failure."""
    async with httpx.AsyncClient(timeout=TIMEOUT, trust_env=False) as http:
        for server in servers.split(","):
            with contextlib.suppress(httpx.TransportError):
                if (await http.get(f"{server}/healthz")).status_code < 500:
                    return True
    return False


def _delays() -> Iterator[float]:
    """Yield doubling waits in seconds, each with jitter, so that a cluster's agents do not come back in step."""
    delay = FIRST_RETRY_SECONDS
    while True:
        yield delay * random.uniform(0.5, 1.0)
        delay = min(delay * 2, LAST_RETRY_SECONDS)


def _understood(model: type[Answer], response: httpx.Response) -> Answer | None:
    """Return the server's answer if it is of the expected type."""
    if not response.is_success or (response.status_code == _NO_CONTENT) != (model is _Nothing):
        return None
    try:
        return model.model_validate_json(response.content or b"{}")
    except ValidationError:
        return None


def _rejection(expected: type[BaseModel], response: httpx.Response) -> RejectedError:
    if response.status_code >= 400:
        refusal = TooOldError if response.status_code == _TOO_OLD else RejectedError
        return refusal(_detail(response), response.status_code)
    name = expected.__name__.removeprefix("Read")
    sentence = f"its answer is no {name} that this agent knows; install the same version on both sides."
    return RejectedError(sentence)


def _detail(answer: httpx.Response) -> str:
    """Return the detail of a problem document (RFC 9457), else the beginning of the body."""

    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return answer.text[:200]
