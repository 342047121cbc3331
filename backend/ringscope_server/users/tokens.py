"""Tokens: made once, shown once, kept as a hash."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Token

PersonRole = Literal["viewer", "operator", "admin"]
Role = Literal[PersonRole, "agent", "join"]
TokenKind = Literal["personal", "agent", "join", "login", "share", "session", "guest"]
# A link's token is valid for logging in, and opens nothing by itself.
LINKS: frozenset[TokenKind] = frozenset({"login", "share"})

# What each role may also do. Agents stand apart: a person's token never speaks for a node, nor the reverse.
INCLUDES: dict[Role, frozenset[Role]] = {
    "viewer": frozenset({"viewer"}),
    "operator": frozenset({"viewer", "operator"}),
    "admin": frozenset({"viewer", "operator", "admin"}),
    "agent": frozenset({"agent"}),
    "join": frozenset({"join"}),
}


class RevokedError(Exception):
    """The token of a request was revoked before the request was carried out."""


@dataclass(frozen=True)
class User:
    """The user of a request."""

    name: str
    role: Role
    kind: TokenKind
    token_id: int  # the personal token that a session was made with
    node: str | None = None  # the only one that this agent speaks for
    own_id: int = 0  # the token that came with the request; for a session its own
    expires_at: datetime | None = None
    next_sha256: str | None = None  # hash of the secret that the token is rotated to at the first use

    def may(self, role: Role) -> bool:
        """Return whether this user's role covers ``role``."""
        return role in INCLUDES[self.role]


def draft(
    name: str,
    kind: TokenKind,
    role: Role,
    now: datetime,
    expires_at: datetime | None,
    *,
    note: str = "",
    node: str | None = None,
    parent: Token | None = None,
    created_by: str = "system",
    secret: str | None = None,
) -> tuple[Token, str]:
    """Return a new token, not yet stored, and its secret, which cannot be read again.

    It ends with its parent, or if that is a session with the token behind it.
    """
    secret = secret or new_secret()
    ends = [end for end in (expires_at, parent and parent.expires_at) if end]
    token = Token(
        name=name,
        note=note,
        kind=kind,
        role=role,
        node=node,
        sha256=fingerprint(secret),
        parent_id=_owner(parent) if parent else None,
        created_by=created_by,
        created_at=now,
        expires_at=min(ends, default=None),
        last_used_at=None,
    )
    return token, secret


def _owner(parent: Token) -> int:
    return parent.id if parent.kind == "share" else parent.parent_id or parent.id


async def create(
    session: AsyncSession,
    name: str,
    kind: TokenKind,
    role: Role,
    now: datetime,
    expires_at: datetime | None,
    *,
    node: str | None = None,
    parent: Token | None = None,
    created_by: str = "system",
) -> str:
    """Store a new token and return its secret."""
    token, secret = draft(name, kind, role, now, expires_at, node=node, parent=parent, created_by=created_by)
    session.add(token)
    return secret


async def find(session: AsyncSession, secret: str, now: datetime, *, to_use_up: bool = False) -> Token | None:
    """Return the valid token with this secret, or None if it is unknown or expired; locked if it is to be consumed."""
    sha256 = fingerprint(secret)
    query = select(Token).where(or_(Token.sha256 == sha256, Token.next_sha256 == sha256))
    token = await session.scalar(query.with_for_update(key_share=True) if to_use_up else query)
    return token if token is not None and is_valid(token, now) else None


async def kept(session: AsyncSession, token_id: int) -> Token:
    """Return the token, locked against revocation until this transaction ends. Raises RevokedError if it was just
    revoked.
    """
    token = await session.get(Token, token_id, with_for_update={"read": True, "key_share": True})
    if token is None:
        raise RevokedError(token_id)
    return token


def is_valid(token: Token, now: datetime) -> bool:
    """Return whether it has not expired."""
    return token.expires_at is None or token.expires_at > now


async def still_valid(session: AsyncSession, token_ids: set[int], now: datetime) -> set[int]:
    """Return the tokens that were neither revoked nor have expired."""
    lasts = or_(Token.expires_at.is_(None), Token.expires_at > now)
    return set(await session.scalars(select(Token.id).where(Token.id.in_(token_ids), lasts)))


def as_user(token: Token, secret: str = "") -> User:
    """Return the person or agent of a token; ``secret`` is how it was sent."""
    role: Role = token.role  # type: ignore[assignment]  # the table holds only these words
    kind: TokenKind = token.kind  # type: ignore[assignment]
    # A session is a use of the token that it was made with; a guest's, like an agent's token, stands for itself.
    used = token.parent_id if kind == "session" and token.parent_id else token.id
    next_sha256 = token.next_sha256 if token.next_sha256 and token.next_sha256 == fingerprint(secret) else None
    return User(token.name, role, kind, used, token.node, token.id, token.expires_at, next_sha256)


def new_secret() -> str:
    """Return a secret that cannot be guessed."""
    return f"rs_{secrets.token_urlsafe(32)}"


def fingerprint(secret: str) -> str:
    """Return the SHA-256 in hexadecimal, by which a secret is recognised without being stored."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
