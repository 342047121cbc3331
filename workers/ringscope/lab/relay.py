"""``python -m ringscope.lab.relay ADDRESS HOST PORT DEVICE``: let a lab's hosts reach a server on this machine.

A server usually listens on loopback, which other network namespaces cannot reach. The relay listens on ADDRESS, the
gateway's, prints its port, forwards every connection to HOST:PORT, and ends on SIGTERM or when DEVICE, the gateway,
disappears.
"""

import asyncio
import contextlib
import signal
import socket
import sys

_PIECE_BYTES = 1 << 16
_LOOK_SECONDS = 0.5


async def relay(address: str, host: str, port: int, device: str, is_over: asyncio.Event) -> None:
    """Forward connections until a signal arrives or the device disappears."""
    # The event loop holds no strong reference to a connection whose host has sent everything and waits for the answer:
    # without a reference here it could be garbage-collected before the answer arrives.
    connections: set[asyncio.Task[None]] = set()

    def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.create_task(_hand_on(reader, writer, host, port))
        connections.add(connection)
        connection.add_done_callback(connections.discard)

    server = await asyncio.start_server(take, address, 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    while _has(device) and not is_over.is_set():  # there is no event for its removal
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS):
                await is_over.wait()
    server.close()
    for connection in connections:
        connection.cancel()
    await asyncio.gather(*connections, return_exceptions=True)


def _has(device: str) -> bool:
    """Return whether this network namespace has the device; /sys may show the devices of another one."""
    try:
        socket.if_nametoindex(device)
    except OSError:
        return False
    return True


async def _hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, port: int) -> None:
    """Relay both directions of a connection, until both have ended or one breaks."""
    with contextlib.closing(writer):
        try:
            there, back = await asyncio.open_connection(host, port)
        except OSError:  # the server is not running
            return
        with contextlib.closing(back):
            try:
                async with asyncio.TaskGroup() as ways:
                    ways.create_task(_copy(reader, back))
                    ways.create_task(_copy(there, writer))
            except* OSError:
                pass


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(_PIECE_BYTES):
        writer.write(piece)
        await writer.drain()
    with contextlib.suppress(OSError):
        writer.write_eof()


async def _main() -> None:
    is_over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, is_over.set)
    await relay(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], is_over)


if __name__ == "__main__":
    asyncio.run(_main())
