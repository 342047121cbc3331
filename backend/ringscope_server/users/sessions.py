"""Logging browsers in and out. A session, like a login link, ends with the token that it was made with.

A login link works once. With a lower role than its maker's it is for a guest, whose session is listed with the tokens,
can be ended alone, and ends after a week, or sooner if the link says so. A share link works for anyone until it expires
or is revoked; it is listed with the tokens, and the sessions of its guests end with it.
"""

from datetime import datetime, timedelta
from math import ceil
from typing import NamedTuple

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Token
from ringscope_server.events import audit
from ringscope_server.users import tokens
from ringscope_server.users.tokens import Role, TokenKind, User

LOGIN_LINK_LIFETIME = timedelta(hours=24)
MOST_GUESTS = 500  # a share link has at most so many sessions; then the oldest one ends
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


async def share_link(
    session: AsyncSession, user: User, page: str, lasts: timedelta, now: datetime
) -> tuple[Token, str]:
    """Return a link for any number of viewers and its secret. Raises RevokedError."""
    parent = await tokens.kept(session, user.token_id)
    token, secret = tokens.draft(
        user.name, "share", "viewer", now, now + lasts, note=page, parent=parent, created_by=user.name
    )
    session.add(token)
    await session.flush()
    message = f"share link to {page}"
    audit.record(session, now, user.name, "token.created", ("token", token.id), after=token.role, message=message)
    return token, secret


async def log_in(
    session: AsyncSession, secret: str, now: datetime, lifetime: timedelta, cookie: str | None = None
) -> Begun | None:
    """Return a browser's session for a personal token or a link's; None for an invalid one. A login link is consumed.

    ``cookie`` is the secret of the session that the browser has: with a share link it stays if it is valid, so that
    nobody loses a higher role. Raises RevokedError.
    """
    token = await tokens.find(session, secret, now)
    if token is not None and token.kind == "share":
        return await _join_guests(session, token, now, cookie)
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


async def _join_guests(session: AsyncSession, share: Token, now: datetime, cookie: str | None) -> Begun:
    own = await tokens.find(session, cookie, now) if cookie else None
    if cookie and own is not None and own.kind in ("session", "guest") and own.expires_at is not None:
        return Begun(cookie, own.expires_at - now)
    share = await tokens.kept(session, share.id)
    assert share.expires_at is not None, "each share link expires"
    share.last_used_at = now
    guests = select(Token.id).where(Token.parent_id == share.id).order_by(Token.id.desc()).offset(MOST_GUESTS - 1)
    if crowded := (await session.scalars(guests)).all():
        await session.execute(delete(Token).where(Token.id.in_(crowded)))
    return await _begin(session, tokens.as_user(share), share, now, share.expires_at - now, "with a share link")


async def log_out(session: AsyncSession, secret: str, now: datetime) -> None:
    """End the session."""
    token = await tokens.find(session, secret, now, to_use_up=True)
    if token is not None and token.kind in ("session", "guest"):
        await session.delete(token)
        audit.record(session, now, token.name, "session.ended", ("user", token.name))


async def _begin(
    session: AsyncSession, user: User, parent: Token | None, now: datetime, lifetime: timedelta, how: str
) -> Begun:
    is_shared = parent is not None and parent.kind == "share"
    is_guest = parent is not None and (is_shared or user.role != parent.role)
    kind: TokenKind = "guest" if is_guest else "session"
    lasts = min(lifetime, GUEST_LIFETIME) if is_guest and not is_shared else lifetime
    made = await tokens.create(
        session, user.name, kind, user.role, now, now + lasts, parent=parent, created_by=user.name
    )
    message = f"Logged in {how}."
    audit.record(session, now, user.name, "session.created", ("user", user.name), after=user.role, message=message)
    return Begun(made, lasts)
