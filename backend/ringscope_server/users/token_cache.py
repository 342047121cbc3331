"""A cache of tokens for a short time: a thousand agents and many people send requests, and tokens hardly
ever change.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from ringscope_server.db.engine import Database
from ringscope_server.db.models import Token
from ringscope_server.users import tokens

# What another server revokes may open this one's routes for so long, and only where its notice is lost; here it is
# forgotten at once. To ask for an agent's token takes as long as two of its polls, which come every few seconds.
AGENT_SECONDS = 60.0
PERSON_SECONDS = 2.0
# Using up a login link or joining with a token changes something, and happens once.
_KEPT = {"agent": AGENT_SECONDS, "personal": PERSON_SECONDS, "session": PERSON_SECONDS, "guest": PERSON_SECONDS}


# A database that does not answer takes nobody's token away at once: what needs no database, such as /metrics, goes on.
PATIENCE_SECONDS = 0.3
UNCONFIRMED_SECONDS = 300.0


@dataclass
class _Known:
    """A token as it was found, when (monotonic), and until when it is not read again."""

    token: Token
    found_at: float
    until: float

    def valid(self, now: datetime) -> Token | None:
        """Return the token unless it has expired."""
        return self.token if tokens.is_valid(self.token, now) else None


class TokenCache:
    """Looks tokens up, and forgets them by age or if a token changed here."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._known: dict[bytes, _Known] = {}  # by the secret's hash
        self._generation = 0

    async def find(self, database: Database, secret: str, now: datetime) -> Token | None:
        """Return the valid token with this secret, or None if it is unknown or expired. Raises SQLAlchemyError."""
        key = hashlib.sha256(secret.encode(errors="replace")).digest()
        known = self._known.get(key)
        if known is not None and self._monotonic() <= known.until:
            return known.valid(now)
        generation = self._generation
        is_recent = known is not None and self._monotonic() <= known.found_at + UNCONFIRMED_SECONDS
        try:
            async with asyncio.timeout(PATIENCE_SECONDS if is_recent else None), database.read() as session:
                token = await tokens.find(session, secret, now)
        except (TimeoutError, SQLAlchemyError) as error:
            if known is None or not is_recent or generation != self._generation:
                if isinstance(error, TimeoutError):  # ours, which is the database's trouble like every other
                    raise PoolTimeoutError(f"no answer within {PATIENCE_SECONDS:g} s") from error
                raise
            known.until = self._monotonic() + _KEPT[known.token.kind]
            return known.valid(now)
        if token is None:
            self._known.pop(key, None)
        elif token.kind in _KEPT and generation == self._generation:
            found_at = self._monotonic()
            self._known[key] = _Known(token, found_at, found_at + _KEPT[token.kind])
        return token

    def clear(self) -> None:
        """Forget all; call it after the commit that ended a token or a session."""
        self._generation += 1
        self._known.clear()
