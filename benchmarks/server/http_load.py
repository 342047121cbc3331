"""The cheapest client that speaks HTTP/1.1 to the server: what it costs would be taken from the server's two cores."""

import asyncio
import time
from dataclasses import dataclass
from statistics import quantiles
from urllib.parse import urlsplit


def p(values: list[float], percent: int) -> float:
    """A percentile, in the unit of the values."""
    return quantiles(values, n=100, method="inclusive")[percent - 1]


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, a body and how long they took."""

    status: int
    body: bytes
    seconds: float


class Connection:
    """One kept-alive connection; one request at a time."""

    def __init__(self, url: str, token: str, prefix: str = "/api/v1") -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 80
        self._prefix = prefix
        self._head = f"Host: {self._host}:{self._port}\r\nAuthorization: Bearer {token}\r\n"
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def request(self, method: str, path: str, body: bytes = b"", headers: str = "") -> Answer:
        """Send, and read the whole answer. ``headers`` are lines that end in CRLF."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port, limit=1 << 24)
        reader, writer = self._streams
        start = time.perf_counter()
        kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if method != "GET" else ""
        writer.write(f"{method} {self._prefix}{path} HTTP/1.1\r\n{self._head}{kind}{headers}\r\n".encode() + body)
        status, length = await _head(reader)
        content = await (reader.readexactly(length) if length is not None else _chunks(reader))
        return Answer(status, content, time.perf_counter() - start)

    async def events(self, path: str) -> asyncio.StreamReader:
        """Open a stream of server-sent events; gives the reader of what follows the head."""
        reader, writer = await asyncio.open_connection(self._host, self._port, limit=1 << 24)
        writer.write(f"GET {self._prefix}{path} HTTP/1.1\r\n{self._head}Accept: text/event-stream\r\n\r\n".encode())
        status, _ = await _head(reader)
        assert status == 200, f"the stream answers {status}"
        self._streams = (reader, writer)
        return reader

    def close(self) -> None:
        """Close it; the next request opens another."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def _head(reader: asyncio.StreamReader) -> tuple[int, int | None]:
    """Status, and the body's length; None when it comes in chunks."""
    lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
    status = int(lines[0].split(b" ", 2)[1])
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines[1:])}
    if fields.get(b"transfer-encoding") == b"chunked":
        return status, None
    return status, int(fields.get(b"content-length", b"0"))


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts = []
    while size := int(await reader.readline(), 16):
        parts.append(await reader.readexactly(size))
        await reader.readline()
    await reader.readline()
    return b"".join(parts)
