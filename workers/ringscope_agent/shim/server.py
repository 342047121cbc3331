"""The shim's end of the control socket: sends its complete state to each agent that connects, and watches which are
there.
"""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from ringscope.rank.load import crowding
from ringscope_agent import process_group
from ringscope_agent.launch.mute import MuteWatch, silence
from ringscope_agent.launch.stopped import STANDSTILLS
from ringscope_agent.shim.messages import MAX_STATUS_BYTES, Status, Wanted, peer_pid

logger = logging.getLogger(__name__)

# How long notices of the spool may wait to be sent together.
NUDGE_SECONDS = 0.02
# How long an agent may take to read the last words.
CLOSE_SECONDS = 2.0


class _Agent:
    """An agent that is connected. One that has asked once keeps asking, twice a second, while it can act."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.has_asked = False
        self._asks = False
        self._mute = MuteWatch()
        self._state = ""

    def hear(self) -> None:
        """Note that the agent asked."""
        self.has_asked = self._asks = True

    def look(self, now: float) -> bool:
        """Return whether it can act: it is neither stopped nor frozen nor mute."""
        times = process_group.times_of(self.pid)
        self._state = process_group.standstill_of(self.pid)
        self._mute.look(self.has_asked and not self._asks, self._state, 0 if times is None else times.queued_ns, now)
        self._asks = False
        return self._state not in STANDSTILLS and not self._mute.is_mute(self._state, crowding())

    @property
    def quiet_seconds(self) -> float:
        """Return for how long it could have asked and did not."""
        return self._mute.seconds

    def why(self, seconds: float) -> str:
        """Say why it cannot act, and since when."""
        known = STANDSTILLS.get(self._state)
        return f"been {known.format(seconds=seconds)}" if known is not None else silence(seconds, self._state)


class ControlServer:
    """Listens for the agent; one that was killed and its successor may overlap.

    Args:
        on_wanted: takes each message of an agent.
        status: returns what to send.
    """

    def __init__(self, on_wanted: Callable[[Wanted], None], status: Callable[[], Status]) -> None:
        self._on_wanted = on_wanted
        self._status = status
        self._server: asyncio.Server | None = None
        self._agents: dict[asyncio.StreamWriter, _Agent] = {}
        self._alone_since: float | None = asyncio.get_running_loop().time()
        self._nudging: asyncio.TimerHandle | None = None

    async def start(self, socket_path: Path) -> None:
        """Listen on ``socket_path``."""
        self._server = await asyncio.start_unix_server(self._serve, path=str(socket_path), limit=MAX_STATUS_BYTES)

    @property
    def alone_seconds(self) -> float:
        """Return for how long no agent that can act has been connected; call it at every look.

        One that is stopped, is frozen or hangs still has its connection.
        """
        now = asyncio.get_running_loop().time()
        able = [agent for agent in self._agents.values() if agent.look(now)]
        if able:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = now - min((agent.quiet_seconds for agent in self._agents.values()), default=0.0)
        return 0.0 if self._alone_since is None else now - self._alone_since

    @property
    def agent_pids(self) -> list[int]:
        """The pids of the connected agents."""
        return [agent.pid for agent in self._agents.values()]

    def why_alone(self, seconds: float) -> str:
        """Return which agent is connected and what has kept it from acting for so long; empty if none is."""
        return next((f"(pid {agent.pid}) has {agent.why(seconds)}" for agent in self._agents.values()), "")

    def tell(self) -> None:
        """Send the status, which has changed."""
        line = self._status().model_dump_json().encode() + b"\n"
        for agent in self._agents:
            agent.write(line)

    def nudge(self) -> None:
        """Send a notice that the spool has grown."""
        if self._nudging is None:
            self._nudging = asyncio.get_running_loop().call_later(NUDGE_SECONDS, self._send_nudge)

    async def close(self) -> None:
        """Close the connections once everything was sent."""
        if self._nudging is not None:
            self._nudging.cancel()
        assert self._server is not None
        self._server.close()
        for agent in list(self._agents):
            agent.close()
            try:
                async with asyncio.timeout(CLOSE_SECONDS):
                    await agent.wait_closed()
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
        agent = self._agents[writer] = _Agent(peer_pid(writer))
        self._alone_since = None
        writer.write(self._status().model_dump_json().encode() + b"\n")
        try:
            while line := await reader.readline():
                if line == b"\n":
                    agent.hear()
                    writer.write(line)
                else:
                    self._on_wanted(Wanted.model_validate_json(line))
        except (OSError, ValidationError, ValueError) as error:
            logger.warning("The agent's connection fails: %s", error)
        finally:
            del self._agents[writer]
            if not self._agents:
                self._alone_since = asyncio.get_running_loop().time()
            writer.close()
