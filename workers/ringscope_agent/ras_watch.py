"""Asks NCCL's RAS for the state of the jobs that run on this node, now and then, whoever started them."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from ringscope.contracts.address import Address, parse_address
from ringscope.contracts.columns import cut
from ringscope.contracts.reading import MOST_RANKS, MOST_REMARKS, NodeRasRemark, NodeRasState
from ringscope.nccl_ras.model import Report
from ringscope.nccl_ras.reading import RefusedError, read
from ringscope.nccl_ras.sentences import answer, remarks

logger = logging.getLogger(__name__)

PORT = 28_028  # NCCL's default
ASK_SECONDS = 15.0
# NCCL waits 5 s for the processes of other nodes, and some more for those that answer late.
ANSWER_SECONDS = 20.0
CONNECT_SECONDS = 2.0
MOST_BYTES = 8 * 1024 * 1024
_MOST_TEXT = 1000


@dataclass(frozen=True)
class _Asked:
    at: float
    state: NodeRasState
    report: Report | None


class RasWatch:
    """The newest state, which each heartbeat of the agent carries."""

    def __init__(self, address: str, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._address = parse_address(address)
        self._monotonic = monotonic
        self._last: _Asked | None = None

    def state(self) -> NodeRasState | None:
        """Return the newest state with its age; None before the first answer."""
        if self._last is None:
            return None
        return self._last.state.model_copy(update={"age_seconds": max(0.0, self._monotonic() - self._last.at)})

    async def run(self) -> None:
        """Ask for ever."""
        while True:
            await self.ask()
            await asyncio.sleep(ASK_SECONDS)

    async def ask(self) -> None:
        """Ask once; nothing that RAS or another program at its address says raises an error."""
        earlier = self._last
        report, state = None, NodeRasState(address=self._name, age_seconds=0)
        try:
            report = await asyncio.to_thread(read, await _verbose_status(self._address))
        except RefusedError as error:
            state.error = cut(f"The answer is no report of RAS: {error}", _MOST_TEXT)
        except TimeoutError:
            state.error = f"NCCL's RAS at {self._name} did not answer within {ANSWER_SECONDS:.0f} s."
        except OSError as error:
            reason = error.strerror or type(error).__name__
            state.error = f"No NCCL job answers at {self._name} ({reason}); RAS listens only while one runs."
        else:
            _fill(state, report, earlier.report if earlier else None)
        if earlier is None or (earlier.state.answer, earlier.state.error) != (state.answer, state.error):
            logger.info("NCCL's RAS: %s", state.error or state.answer)
        self._last = _Asked(self._monotonic(), state, report)

    @property
    def _name(self) -> str:
        return str(Address(self._address.host, self._address.port or PORT))


def _fill(state: NodeRasState, report: Report, earlier: Report | None) -> None:
    state.answer = cut(answer(report, earlier), _MOST_TEXT)
    state.nccl_version = report.version
    state.communicators = len(report.communicators) or report.rows
    state.is_repaired = report.is_repaired
    state.remarks = [
        NodeRasRemark(
            kind=one.kind,
            communicator=one.communicator[:100],
            ranks=list(one.ranks[:MOST_RANKS]),
            sentence=cut(one.sentence, _MOST_TEXT),
        )
        for one in remarks(report, earlier)[:MOST_REMARKS]
    ]


async def _verbose_status(address: Address) -> bytes:
    """Return what ``ncclras -v`` would print: a handshake, the question, and everything up to the end.

    Raises OSError, TimeoutError, and RefusedError for a program that does not speak RAS's protocol.
    """
    async with asyncio.timeout(CONNECT_SECONDS):
        reader, writer = await asyncio.open_connection(address.host, address.port or PORT)
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            writer.write(b"CLIENT PROTOCOL 2\n")
            greeting = await _line(reader)
            if not greeting.upper().startswith(b"SERVER PROTOCOL "):
                raise RefusedError("the program there does not speak its protocol; give the address of NCCL_RAS_ADDR.")
            writer.write(b"VERBOSE STATUS\n")
            return await _rest(reader)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readline()
    except ValueError:
        return b""  # a line without an end


async def _rest(reader: asyncio.StreamReader) -> bytes:
    parts, size = [], 0
    while part := await reader.read(1 << 16):
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise RefusedError("it has more than 8 MiB, so that it was not read to its end.")
    return b"".join(parts)
