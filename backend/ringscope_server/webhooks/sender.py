"""One try to send a message: HTTP to the address that was checked, and to no other."""

import asyncio
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

import httpx
from standardwebhooks import Webhook as Signer

from ringscope.contracts.words.version import __version__
from ringscope_server.urls import ForbiddenAddressError, Network, Resolve, addresses_of

TIMEOUT_SECONDS = 10.0  # for the whole try, with name, connection and answer
CONNECT_SECONDS = 5.0
ANSWER_BYTES = 1024  # more of an answer is never read
SHOWN_CHARACTERS = 200


@dataclass(frozen=True)
class Answer:
    """The outcome of a try: the HTTP status, if any, and a sentence on what is wrong; empty if nothing is."""

    status: int | None
    error: str

    @property
    def is_delivered(self) -> bool:
        """Return whether the receiver has it."""
        return self.status is not None and 200 <= self.status < 300


def signed_headers(secret: str, message_id: str, body: str, now: datetime) -> dict[str, str]:
    """Return the headers by which a receiver authenticates the sender and detects a replay."""
    time = now.astimezone(UTC)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(time.timestamp())),
        "webhook-signature": Signer(secret).sign(message_id, time, body),
    }


async def post(url: str, headers: dict[str, str], body: str, allowed: Sequence[Network], resolver: Resolve) -> Answer:
    """Try once. Every error is in the answer."""
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await _first_that_connects(url, await addresses_of(url, allowed, resolver), headers, body)
    except (TimeoutError, httpx.TimeoutException):
        return Answer(None, f"No answer within {TIMEOUT_SECONDS:g} s.")
    except ForbiddenAddressError as error:
        return Answer(None, str(error))
    except httpx.HTTPError as error:
        return Answer(None, f"No answer: {_one_line(str(error)) or type(error).__name__}.")


async def _first_that_connects(url: str, addresses: Sequence[str], headers: dict[str, str], body: str) -> Answer:
    for address in addresses[:-1]:
        try:
            return await _post(url, address, headers, body)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            continue
    return await _post(url, addresses[-1], headers, body)


async def _post(url: str, address: str, headers: dict[str, str], body: str) -> Answer:
    """Connect to ``address``; certificate and Host header are those of the name."""
    named = httpx.URL(url)
    headers = headers | {
        "Host": named.netloc.decode(),
        "Content-Type": "application/json",
        "User-Agent": f"Ringscope/{__version__}",
    }
    # A client for each try: a connection kept open for one name must not serve another one at the same address.
    # No proxy either: it would resolve the name once more.
    timeout = httpx.Timeout(TIMEOUT_SECONDS, connect=CONNECT_SECONDS)
    client = httpx.AsyncClient(verify=_tls(), trust_env=False, follow_redirects=False, timeout=timeout)
    async with (
        client,
        client.stream(
            "POST",
            named.copy_with(host=address),
            content=body.encode(),
            headers=headers,
            extensions={"sni_hostname": named.raw_host.decode()},
        ) as response,
    ):
        return await _answer(response)


async def _answer(response: httpx.Response) -> Answer:
    answer = Answer(response.status_code, "")
    if answer.is_delivered:
        return answer
    if response.is_redirect:
        return Answer(
            response.status_code, f"HTTP {response.status_code}: redirects are not followed; correct the URL."
        )
    text = b""
    async for part in response.aiter_raw(ANSWER_BYTES):
        text = (text + part)[:ANSWER_BYTES]
        if len(text) == ANSWER_BYTES:
            break
    said = _one_line(text.decode(errors="replace"))
    return Answer(response.status_code, f"HTTP {response.status_code}{': ' if said else ''}{said}.")


def _one_line(text: str) -> str:
    printable = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(printable.split())[:SHOWN_CHARACTERS].rstrip(".")


@cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context()
