"""The nodes of a gang that give no answer are known before the ranks start."""

import asyncio
import errno

import pytest

from ringscope.contracts.protocol import GangMember
from ringscope_agent.launch import reach


def gang(*addresses: str) -> list[GangMember]:
    return [GangMember(node=f"n{place}", address=address, slots=1) for place, address in enumerate(addresses)]


def test_a_refused_and_an_accepted_connection_are_answers() -> None:
    async def both() -> list[bool]:
        server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        accepted = await reach.answers("127.0.0.1", port)
        server.close()
        await server.wait_closed()
        return [accepted, await reach.answers("127.0.0.1", port)]

    assert asyncio.run(both()) == [True, True]


def test_only_a_node_that_is_silent_in_every_try_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def connect(address: str, port: int) -> object:
        asked.append(address)
        if address == "silent":
            raise OSError(errno.EHOSTUNREACH, "No route to host")
        if address == "slow" and asked.count("slow") < 3:
            await asyncio.sleep(10)
        raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")

    monkeypatch.setattr(asyncio, "open_connection", connect)
    monkeypatch.setattr(reach, "_TRY_SECONDS", 0.01)
    found = asyncio.run(reach.unreachable(gang("own", "good", "silent", "slow", "own"), 0))
    assert found == ["n2"] and asked.count("silent") == 3 and asked.count("good") == 1 and "own" not in asked
