"""Logging browsers in and out. A session, like a login link, ends with the token that it was made with.

A link with a lower role than its maker's is for a guest: the guest's session is listed with the tokens, can be ended
alone, and ends after a week, or sooner if the link says so.
"""

from datetime import datetime, timedelta
from math import ceil
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Token
from ringscope_server.events import audit
from ringscope_server.users import tokens
from ringscope_server.users.tokens import Role, TokenKind, User

LOGIN_LINK_LIFETIME = timedelta(hours=24)
GUEST_LIFETIME = timedelta(days=7)


class Begun(NamedTuple):
    """A browser's session: its secret and its duration."""

    secret: str
    lasts: timedelta


async def login_link(
    session: AsyncSession, user: User, role: Role, lasts: timedelta | None, now: datetime
) -> tuple[str, datetime]:
    """Return the secret and the end of a one-time login link in this user's name, with a role that the user may give.

    The session that it begins ends after ``lasts``; None means the longest allowed time. Raises RevokedError.
    """
    parent = await tokens.kept(session, user.token_id)
    token, secret = tokens.draft(
        user.name, "login", role, now, now + LOGIN_LINK_LIFETIME, parent=parent, created_by=user.name
    )
    token.session_seconds = None if lasts is None else ceil(lasts.total_seconds())
    session.add(token)
    audit.record(session, now, user.name, "login_link.created", ("user", user.name), after=role)
    assert token.expires_at is not None
    return secret, token.expires_at


async def log_in(session: AsyncSession, secret: str, now: datetime, lifetime: timedelta) -> Begun | None:
    """Return a browser's session for a personal token or for a login link's, which is consumed; None for an invalid
    one.

    Raises RevokedError.
    """
    token = await tokens.find(session, secret, now)
    if token is None or token.kind != "personal":
        return await _follow_link(session, secret, now, lifetime)
    await tokens.kept(session, token.id)
    return await _begin(session, tokens.as_user(token), token, now, lifetime, "with a token")


async def _follow_link(session: AsyncSession, secret: str, now: datetime, lifetime: timedelta) -> Begun | None:
    token = await tokens.find(session, secret, now, to_use_up=True)
    if token is None or token.kind != "login":
        return None
    await session.delete(token)
    parent = await session.get(Token, token.parent_id) if token.parent_id else None
    if token.session_seconds is not None:
        lifetime = min(lifetime, timedelta(seconds=token.session_seconds))
    return await _begin(session, tokens.as_user(token), parent, now, lifetime, "with a login link")


async def log_out(session: AsyncSession, secret: str, now: datetime) -> None:
    """End the session."""
    token = await tokens.find(session, secret, now, to_use_up=True)
    if token is not None and token.kind in ("session", "guest"):
        await session.delete(token)
        audit.record(session, now, token.name, "session.ended", ("user", token.name))


async def _begin(
    session: AsyncSession, user: User, parent: Token | None, now: datetime, lifetime: timedelta, how: str
) -> Begun:
    is_guest = parent is not None and user.role != parent.role
    kind: TokenKind = "guest" if is_guest else "session"
    lasts = min(lifetime, GUEST_LIFETIME) if is_guest else lifetime
    made = await tokens.create(
        session, user.name, kind, user.role, now, now + lasts, parent=parent, created_by=user.name
    )
    message = f"Logged in {how}."
    audit.record(session, now, user.name, "session.created", ("user", user.name), after=user.role, message=message)
    return Begun(made, lasts)
