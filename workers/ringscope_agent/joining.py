"""The node's token: read from disk, obtained by joining, and replaced when it is refused or rotated."""

import asyncio
import logging
from datetime import timedelta

from ringscope.contracts.protocol import HEARTBEAT_SECONDS, MISSED_HEARTBEATS_UNTIL_LOST, Registration
from ringscope_agent.client import (
    LAST_RETRY_SECONDS,
    NodeLivesError,
    RejectedError,
    ServerClient,
    TokenRefusedError,
    is_server_there,
)
from ringscope_agent.files import replace_text
from ringscope_agent.settings import AgentSettings, SettingsError

logger = logging.getLogger(__name__)

# An agent that lost its data directory returns before the server counts its node as lost; only then may it join.
PATIENCE = timedelta(seconds=2 * HEARTBEAT_SECONDS * MISSED_HEARTBEATS_UNTIL_LOST)


class NodeToken:
    """This node's own token, which is valid for no other node."""

    def __init__(self, settings: AgentSettings, registration: Registration, patience: timedelta = PATIENCE) -> None:
        self._settings = settings
        self._registration = registration
        self._patience = patience
        given = settings.token
        self._given = None if given is None else given.get_secret_value().strip()

    async def obtain(self) -> str:
        """Return the token on disk, else the given one, else a new one. Raises SettingsError, or RejectedError."""
        if (kept := self._settings.read_token()) is not None:
            return kept
        if self._given is not None:
            return self._take_given(self._given)
        return await self._join(self._patience, was_here=False)

    async def renew(self, refused: str, was_here: bool) -> str:
        """Return another token for the one that the server refused. Raises TokenRefusedError.

        Args:
            was_here: ranks may run, so that what a proxy says meanwhile is no reason to end.
        """
        if self._given is not None and self._given != refused:
            return self._take_given(self._given)
        try:
            return await self._join(timedelta(), was_here)
        except (SettingsError, RejectedError) as error:
            raise TokenRefusedError(f"The server refused this node's token. {error}") from None

    def keep(self, token: str) -> None:
        """Write the token where the next run of this agent finds it. Raises OSError."""
        self._settings.token_path.parent.mkdir(parents=True, exist_ok=True)
        replace_text(self._settings.token_path, token + "\n")

    def _take_given(self, given: str) -> str:
        self._given = None  # it is tried once
        return given

    async def _join(self, patience: timedelta, was_here: bool) -> str:
        join_token = await self._join_token()
        if join_token is None:
            raise SettingsError(
                f"join_token: {self._settings.token_path} holds no good token of this node, and there is none to join "
                "with; make one with `ringscope token add NAME --kind join`, and give it with --join-token."
            )
        client = ServerClient(self._settings.server, join_token, self._registration, was_here=was_here)
        try:
            token = await self._ask(client, patience)
        except TokenRefusedError:
            raise SettingsError(
                "join_token: the server refused it; it may be mistyped, expired or revoked: make a new one there."
            ) from None
        finally:
            await client.close()
        try:
            self.keep(token)
        except OSError as error:
            raise SettingsError(
                f"data_dir: {self._settings.token_path} cannot be written ({error.strerror}); "
                "make room or choose another with --data-dir."
            ) from None
        logger.info("Joined as %s; the token of this node is in %s.", self._settings.name, self._settings.token_path)
        return token

    async def _join_token(self) -> str | None:
        """Read the join token like ``read_join_token``, but wait for a named file that a starting server may still
        write.
        """
        file = self._settings.join_token_file
        while True:
            is_there = file is None or file.exists() or await is_server_there(self._settings.server)
            try:
                return self._settings.read_join_token()
            except SettingsError as error:
                if is_there:
                    raise
                logger.warning("%s The server is not there yet; waiting for both.", error)
            await asyncio.sleep(LAST_RETRY_SECONDS)

    async def _ask(self, client: ServerClient, patience: timedelta) -> str:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience.total_seconds()
        while True:
            try:
                return await client.join()
            except NodeLivesError as error:
                if loop.time() >= deadline:
                    raise
                logger.warning("%s Waiting for that.", error)
                await asyncio.sleep(LAST_RETRY_SECONDS)
