"""The last use of each token, gathered in memory: no request waits for a row to be written."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import or_, update
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Token


@dataclass
class LastUse:
    """Tokens used since the last ``flush``, which comes once a minute."""

    _times: dict[int, datetime] = field(default_factory=dict)

    def note(self, token_id: int, now: datetime) -> None:
        """Note that the token opened a request."""
        self._times[token_id] = now

    def take(self) -> dict[int, datetime]:
        """Return what was noted, by token; from now on it counts as written."""
        times, self._times = self._times, {}
        return times


async def write(session: AsyncSession, times: dict[int, datetime]) -> None:
    """Store the times; a later one that another server has stored stays."""
    for token_id, time in sorted(times.items()):
        is_older = or_(Token.last_used_at.is_(None), Token.last_used_at < time)
        await session.execute(update(Token).where(Token.id == token_id, is_older).values(last_used_at=time))
