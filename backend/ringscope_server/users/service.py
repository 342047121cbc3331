"""Tokens of people and agents: make, list, revoke."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Token
from ringscope_server.events import audit
from ringscope_server.users import idempotency, tokens
from ringscope_server.users.tokens import Role, User
from ringscope_server.users.views import TokenSpec

# Sessions and login links are not managed one by one: they end with the token that they were made with, and so do the
# guests of a share link.
MANAGED = ("personal", "join", "agent", "guest", "share")


class RoleTooHighError(Exception):
    """A user cannot give a role above their own."""


class AlreadyMadeError(Exception):
    """An earlier request made the token, and its secret cannot be shown twice."""

    def __init__(self, token_id: int) -> None:
        super().__init__(token_id)
        self.token_id = token_id


class LastAdminError(Exception):
    """The token is the last one that can manage the server."""


async def issue(
    session: AsyncSession, spec: TokenSpec, user: User, key: str | None, now: datetime
) -> tuple[Token, str]:
    """Make a token; return it with its secret. Raises RoleTooHighError, AlreadyMadeError and KeyReusedError."""
    role: Role = spec.role or ("join" if spec.kind == "join" else "agent")
    if spec.role and not user.may(spec.role):
        raise RoleTooHighError
    body_sha256 = idempotency.fingerprint("create token", spec)
    if earlier := await idempotency.earlier(session, user.name, key, body_sha256):
        raise AlreadyMadeError(earlier.target_id)
    expires_at = now + timedelta(days=spec.expires_in_days) if spec.expires_in_days else None
    token, secret = tokens.draft(
        spec.name, spec.kind, role, now, expires_at, note=spec.note, node=spec.node, created_by=user.name
    )
    session.add(token)
    await session.flush()
    idempotency.remember(session, user.name, key, body_sha256, "token", token.id, now)
    message = f"{spec.kind} token for {spec.name}"
    audit.record(session, now, user.name, "token.created", ("token", token.id), after=role, message=message)
    return token, secret


async def page(session: AsyncSession, limit: int, before: int | None) -> Sequence[Token]:
    """Return tokens, newest first, from below the id ``before`` on."""
    shares = select(Token.id).where(Token.kind == "share")
    of_share = (Token.kind == "guest") & Token.parent_id.is_not(None) & Token.parent_id.in_(shares)
    query = select(Token).where(Token.kind.in_(MANAGED), ~of_share)
    if before is not None:
        query = query.where(Token.id < before)
    return (await session.scalars(query.order_by(Token.id.desc()).limit(limit))).all()


async def revoke(session: AsyncSession, token_id: int, user: str, now: datetime) -> Token | None:
    """End a token and the sessions made with it; return None if there is none. Raises LastAdminError."""
    token = await session.get(Token, token_id)
    if token is None or token.kind not in MANAGED:
        return None
    is_admin = token.kind == "personal" and token.role == "admin"
    locked = await _locked_admins(session) if is_admin else await _locked(session, Token.id == token_id)
    if token_id not in [other.id for other in locked]:
        return None  # somebody else was faster
    if is_admin and not any(other.id != token_id and tokens.is_valid(other, now) for other in locked):
        raise LastAdminError
    message = f"share link to {token.note}" if token.kind == "share" else f"{token.kind} token for {token.name}"
    audit.record(session, now, user, "token.revoked", ("token", token.id), before=token.role, message=message)
    await session.delete(token)
    return token


async def _locked_admins(session: AsyncSession) -> Sequence[Token]:
    """Lock all admin tokens at once and in one order, so that two concurrent revocations neither count on each other's
    token nor deadlock.
    """
    return await _locked(session, Token.kind == "personal", Token.role == "admin")


async def _locked(session: AsyncSession, *conditions: ColumnElement[bool]) -> Sequence[Token]:
    query = select(Token).where(*conditions).order_by(Token.id)
    return (await session.scalars(query.with_for_update(key_share=True))).all()
