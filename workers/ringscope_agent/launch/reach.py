"""Finds the nodes of a gang that this node cannot reach, before the ranks start: MPI's start would wait for them."""

import asyncio
import errno
import random
from collections.abc import Sequence

from ringscope.contracts.protocol import GangMember

# Ports from which systems take the port of a new connection, as MPI does: a firewall that lets ranks through lets
# these through, too. Usually nothing listens there, and the refusal is an answer.
_PORTS = range(40_000, 60_000)
_TRIES, _TRY_SECONDS = 3, 1.5
_AT_ONCE = 64
_UNREACHED = {errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN}


async def unreachable(gang: Sequence[GangMember], member: int) -> list[str]:
    """Return the names of the other members that give no answer in several tries, in the order of the gang."""
    own = gang[member]
    limit = asyncio.Semaphore(_AT_ONCE)

    async def is_silent(other: GangMember) -> bool:
        async with limit:
            for _ in range(_TRIES):
                if await answers(other.address, random.choice(_PORTS)):
                    return False
            return True

    others = [other for other in gang if other.node != own.node and other.address != own.address]
    silent = await asyncio.gather(*map(is_silent, others))
    return [other.node for other, is_silent in zip(others, silent, strict=True) if is_silent]


async def answers(address: str, port: int) -> bool:
    """Return whether a machine accepts or refuses a connection, and not neither."""
    try:
        async with asyncio.timeout(_TRY_SECONDS):
            _, writer = await asyncio.open_connection(address, port)
    except TimeoutError:
        return False
    except OSError as error:
        return error.errno not in _UNREACHED
    writer.close()
    return True
