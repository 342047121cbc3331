"""The keeper's end of the control socket: tells each agent that connects all it knows, and counts who is there."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from ringscope_agent import process_group
from ringscope_agent.launch.control import MAX_STATUS_BYTES, Status, Wanted, peer_pid

logger = logging.getLogger(__name__)

# How long news of the spool may wait to be told together.
NUDGE_SECONDS = 0.02
# How long an agent may take to read the last words.
CLOSE_SECONDS = 2.0


class ControlServer:
    """Listens for the agent; one that was killed and its successor may overlap.

    Args:
        on_wanted: takes each word of an agent.
        status: what to tell.
    """

    def __init__(self, on_wanted: Callable[[Wanted], None], status: Callable[[], Status]) -> None:
        self._on_wanted = on_wanted
        self._status = status
        self._server: asyncio.Server | None = None
        self._agents: dict[asyncio.StreamWriter, int] = {}  # and their pids
        self._alone_since: float | None = asyncio.get_running_loop().time()
        self._nudging: asyncio.TimerHandle | None = None

    async def start(self, socket_path: Path) -> None:
        """Listen on ``socket_path``."""
        self._server = await asyncio.start_unix_server(self._serve, path=str(socket_path), limit=MAX_STATUS_BYTES)

    @property
    def alone_seconds(self) -> float:
        """For how long no agent has been connected that can act; call it at every look.

        One that is stopped still has its connection.
        """
        if any(process_group.state_of(pid) != "T" for pid in self._agents.values()):
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = asyncio.get_running_loop().time()
        return 0.0 if self._alone_since is None else asyncio.get_running_loop().time() - self._alone_since

    @property
    def agent_pids(self) -> list[int]:
        """Those that are connected."""
        return list(self._agents.values())

    def tell(self) -> None:
        """The status has changed."""
        line = self._status().model_dump_json().encode() + b"\n"
        for agent in self._agents:
            agent.write(line)

    def nudge(self) -> None:
        """The spool has grown."""
        if self._nudging is None:
            self._nudging = asyncio.get_running_loop().call_later(NUDGE_SECONDS, self._send_nudge)

    async def close(self) -> None:
        """Hang up, once everything was sent."""
        if self._nudging is not None:
            self._nudging.cancel()
        assert self._server is not None
        self._server.close()
        for agent in list(self._agents):
            agent.close()
            try:
                await asyncio.wait_for(agent.wait_closed(), CLOSE_SECONDS)
            except TimeoutError:  # it is stopped, and does not read
                agent.transport.abort()
            except OSError:
                pass

    def _send_nudge(self) -> None:
        self._nudging = None
        for agent in self._agents:
            # An agent that does not read now will see the whole spool when it does.
            if agent.transport.get_write_buffer_size() == 0:
                agent.write(b"\n")

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._agents[writer] = peer_pid(writer)
        self._alone_since = None
        writer.write(self._status().model_dump_json().encode() + b"\n")
        try:
            while line := await reader.readline():
                self._on_wanted(Wanted.model_validate_json(line))
        except (OSError, ValidationError, ValueError) as error:
            logger.warning("The agent's connection fails: %s", error)
        finally:
            del self._agents[writer]
            if not self._agents:
                self._alone_since = asyncio.get_running_loop().time()
            writer.close()
