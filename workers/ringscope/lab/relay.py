"""``python -m ringscope.lab.relay ADDRESS HOST PORT DEVICE``: lets a lab's hosts reach a server on this machine.

A server listens on loopback as a rule, which other network namespaces do not see. The relay listens on ADDRESS, the
gateway's, prints its port, hands every connection on to HOST:PORT, and ends when DEVICE, the gateway, is gone.
"""

import asyncio
import contextlib
import sys
from pathlib import Path

_PIECE_BYTES = 1 << 16
_LOOK_SECONDS = 0.5


async def relay(address: str, host: str, port: int, device: str) -> None:
    """Hand connections on for as long as the device is there."""

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError), contextlib.closing(writer):
            there, back = await asyncio.open_connection(host, port)
            with contextlib.closing(back):
                await asyncio.gather(_copy(reader, back), _copy(there, writer))

    server = await asyncio.start_server(take, address, 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    gateway = Path("/sys/class/net", device)
    while gateway.exists():  # noqa: ASYNC110, ASYNC240 - nobody tells when it goes, and no disk is touched
        await asyncio.sleep(_LOOK_SECONDS)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(_PIECE_BYTES):
        writer.write(piece)
        await writer.drain()
    with contextlib.suppress(OSError):
        writer.write_eof()


if __name__ == "__main__":
    asyncio.run(relay(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]))
