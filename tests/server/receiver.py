"""A receiver of webhooks: a small real HTTP server on loopback."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

LOOPBACK = ["127.0.0.0/8", "::1/128"]


@dataclass
class Message:
    """A request as it was received."""

    path: str
    headers: dict[str, str]
    body: str

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Receiver:
    """Answers 204, or in turn what is in ``answers``; below /silent never."""

    port: int = 0
    messages: list[Message] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def url(self, host: str = "127.0.0.1", path: str = "/hook", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
            body = await reader.readexactly(int(headers["content-length"]))
            self.messages.append(Message(head[0].split()[1], headers, body.decode()))
            self.arrived.set()
            if self.messages[-1].path.startswith("/silent"):
                await reader.read()  # until the other side gives up
            else:
                answer = self.answers.pop(0) if self.answers else "HTTP/1.1 204 No Content\r\n\r\n"
                writer.write(answer.encode())
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the sender does not read long answers to their end
        finally:
            writer.close()


@asynccontextmanager
async def running_receiver(tls: ssl.SSLContext | None = None) -> AsyncIterator[Receiver]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0, ssl=tls)
    receiver.port = server.sockets[0].getsockname()[1]
    async with server:
        yield receiver


def answer(status: str, body: str = "", *headers: str) -> str:
    """An HTTP answer, such as "500 Internal Server Error"."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines) + "\r\n\r\n" + body
