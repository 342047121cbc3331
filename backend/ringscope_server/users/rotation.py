"""The rotation of a node's token over the node's own channel.

An administrator requests it, the agent gets the request with its next poll and fetches the new secret, and both secrets
are valid until the first request with the new one: by then the agent has it on disk, whatever was lost on the way.
"""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Token
from ringscope_server.events import audit
from ringscope_server.users import tokens


class NotOfNodeError(Exception):
    """Only a node's token has an agent that fetches the new secret."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class NotWantedError(Exception):
    """No rotation was requested: a stolen token cannot lock the node out."""


async def want(session: AsyncSession, token_id: int, user: str, now: datetime) -> Token | None:
    """Request a rotation; return None if there is no such token. Raises NotOfNodeError."""
    token = await _locked(session, token_id)
    if token is None or token.kind in ("session", "login"):
        return None
    if token.kind != "agent":
        raise NotOfNodeError(token.kind)
    token.rotation_wanted_at = now
    _record(session, token, user, "token.rotation_wanted", now)
    return token


async def is_wanted(session: AsyncSession, token_id: int) -> bool:
    """Return whether the agent with this token should fetch a new secret."""
    wanted = select(Token.id).where(Token.id == token_id, Token.rotation_wanted_at.is_not(None))
    return await session.scalar(wanted) is not None


async def next_secret(session: AsyncSession, token_id: int) -> str:
    """Return the new secret; a repeated request gets another one that replaces it. Raises NotWantedError."""
    token = await _locked(session, token_id)
    if token is None or token.rotation_wanted_at is None:
        raise NotWantedError
    secret = tokens.new_secret()
    token.next_sha256 = tokens.fingerprint(secret)
    return secret


async def settle(session: AsyncSession, token_id: int, sha256: str, now: datetime) -> None:
    """Invalidate the old secret, because the new one, given by its fingerprint, was used."""
    token = await _locked(session, token_id)
    if token is None or token.next_sha256 != sha256:
        return  # another request of the agent was faster, and the next rotation may be under way
    token.sha256, token.next_sha256, token.rotation_wanted_at = sha256, None, None
    _record(session, token, f"node/{token.node}", "token.rotated", now)


async def _locked(session: AsyncSession, token_id: int) -> Token | None:
    return await session.get(Token, token_id, with_for_update={"key_share": True})


def _record(session: AsyncSession, token: Token, actor: str, action: str, now: datetime) -> None:
    message = f"{token.kind} token for {token.name}"
    audit.record(session, now, actor, action, ("token", token.id), message=message)
