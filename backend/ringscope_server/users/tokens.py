"""Tokens: made once, shown once, kept as a hash."""

import hashlib
import os
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Token

Role = Literal["viewer", "operator", "admin", "agent"]
TokenKind = Literal["personal", "agent", "login", "session"]

# What each role may also do. Agents stand apart: a person's token never speaks for a node.
INCLUDES: dict[Role, frozenset[Role]] = {
    "viewer": frozenset({"viewer"}),
    "operator": frozenset({"viewer", "operator"}),
    "admin": frozenset({"viewer", "operator", "admin"}),
    "agent": frozenset({"agent"}),
}
LOGIN_LINK_LIFETIME = timedelta(hours=24)


@dataclass(frozen=True)
class User:
    """Who makes this request."""

    name: str
    role: Role
    kind: TokenKind

    def may(self, role: Role) -> bool:
        """Whether this user's role covers ``role``."""
        return role in INCLUDES[self.role]


async def create(
    session: AsyncSession, name: str, kind: TokenKind, role: Role, now: datetime, expires_at: datetime | None
) -> str:
    """Store a new token and give its secret, which nobody can read again."""
    secret = f"rs_{secrets.token_urlsafe(32)}"
    session.add(
        Token(
            name=name,
            kind=kind,
            role=role,
            sha256=_sha256(secret),
            created_at=now,
            expires_at=expires_at,
        )
    )
    return secret


async def find(session: AsyncSession, secret: str, now: datetime) -> Token | None:
    """The valid token with this secret, or None when it is unknown or expired."""
    token = await session.scalar(select(Token).where(Token.sha256 == _sha256(secret)))
    if token is None or (token.expires_at is not None and token.expires_at <= now):
        return None
    return token


async def consume(session: AsyncSession, secret: str, now: datetime) -> Token | None:
    """Take a login link's one-time token: the second call gets None."""
    token = await find(session, secret, now)
    if token is None or token.kind != "login":
        return None
    await session.execute(delete(Token).where(Token.id == token.id))
    return token


async def forget(session: AsyncSession, secret: str) -> None:
    """Log out: the token is worth nothing from now on."""
    await session.execute(delete(Token).where(Token.sha256 == _sha256(secret)))


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
    return User(token.name, token.role, token.kind)  # type: ignore[arg-type]  # the table holds only these words


def _sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
