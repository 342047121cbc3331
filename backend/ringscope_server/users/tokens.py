"""Tokens: made once, shown once, kept as a hash."""

import hashlib
import os
import secrets
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Token

PersonRole = Literal["viewer", "operator", "admin"]
Role = Literal[PersonRole, "agent", "join"]
TokenKind = Literal["personal", "agent", "join", "login", "session"]

# What each role may also do. Agents stand apart: a person's token never speaks for a node, nor the reverse.
INCLUDES: dict[Role, frozenset[Role]] = {
    "viewer": frozenset({"viewer"}),
    "operator": frozenset({"viewer", "operator"}),
    "admin": frozenset({"viewer", "operator", "admin"}),
    "agent": frozenset({"agent"}),
    "join": frozenset({"join"}),
}


@dataclass(frozen=True)
class User:
    """Who makes this request."""

    name: str
    role: Role
    kind: TokenKind
    token_id: int  # of the personal token, where this is a session that was made with it
    node: str | None = None  # the only one that this agent speaks for; None: any

    def may(self, role: Role) -> bool:
        """Whether this user's role covers ``role``."""
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
    """A new token, not yet stored, and its secret, which nobody can read again. It ends with its parent."""
    secret = secret or f"rs_{secrets.token_urlsafe(32)}"
    ends = [end for end in (expires_at, parent and parent.expires_at) if end]
    token = Token(
        name=name,
        note=note,
        kind=kind,
        role=role,
        node=node,
        sha256=fingerprint(secret),
        parent_id=(parent.parent_id or parent.id) if parent else None,
        created_by=created_by,
        created_at=now,
        expires_at=min(ends, default=None),
        last_used_at=None,
    )
    return token, secret


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
    """Store a new token and give its secret."""
    token, secret = draft(name, kind, role, now, expires_at, node=node, parent=parent, created_by=created_by)
    session.add(token)
    return secret


async def find(session: AsyncSession, secret: str, now: datetime, *, to_use_up: bool = False) -> Token | None:
    """The valid token with this secret, or None when it is unknown or expired; locked for whoever uses it up."""
    query = select(Token).where(Token.sha256 == fingerprint(secret))
    token = await session.scalar(query.with_for_update(key_share=True) if to_use_up else query)
    if token is None or (token.expires_at is not None and token.expires_at <= now):
        return None
    return token


async def still_valid(session: AsyncSession, token_ids: set[int], now: datetime) -> set[int]:
    """Those of the tokens that were neither revoked nor are over."""
    is_valid = or_(Token.expires_at.is_(None), Token.expires_at > now)
    return set(await session.scalars(select(Token.id).where(Token.id.in_(token_ids), is_valid)))


def read_file(path: Path) -> str | None:
    """The secret in a token file, or None when there is no such file."""
    return path.read_text().strip() if path.is_file() else None


def write_file(path: Path, secret: str) -> None:
    """Put a secret where only the owner of the data directory can read it (mode 0600)."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secret + "\n")


def as_user(token: Token) -> User:
    """The person or agent behind a token."""
    role: Role = token.role  # type: ignore[assignment]  # the table holds only these words
    kind: TokenKind = token.kind  # type: ignore[assignment]
    # A session is a use of the token that it was made with; an agent's token stands for itself.
    used = token.parent_id if kind == "session" and token.parent_id else token.id
    return User(token.name, role, kind, used, token.node)


def fingerprint(secret: str) -> str:
    """By which a secret is known without being kept: its SHA-256, in hexadecimal."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
