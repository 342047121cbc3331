"""Tokens with their roles, and idempotency keys of earlier requests."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from ringscope_server.db.models.base import Base


class Token(Base):
    """A secret that opens the API, kept only as its SHA-256: a person's, an agent's, a login link's or a session's."""

    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]  # the user that it stands for
    note: Mapped[str] = mapped_column(default="")
    kind: Mapped[str]  # personal, agent, join, login, session
    role: Mapped[str]  # viewer, operator, admin, agent
    node: Mapped[str | None]  # the only node that an agent's token speaks for
    sha256: Mapped[str] = mapped_column(unique=True)
    # A node's token that is to be rotated: since when, and the secret that its agent has fetched and not used yet.
    rotation_wanted_at: Mapped[datetime | None]
    next_sha256: Mapped[str | None] = mapped_column(unique=True, index=True)
    session_seconds: Mapped[int | None]  # how long the session of a login link lasts; null: the maximum
    # What was made with a token ends with it: a browser's session, a login link.
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("tokens.id", ondelete="CASCADE"), index=True)
    created_by: Mapped[str] = mapped_column(default="system")
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]


class IdempotencyKey(Base):
    """A POST that was carried out under a key, so that sending it again answers the same and does nothing."""

    __tablename__ = "idempotency_keys"

    user: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    body_sha256: Mapped[str]
    target_type: Mapped[str]  # job, schedule, webhook, token: what the POST made
    target_id: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime]
