"""Idempotency keys: a repeated POST gets the same answer and does nothing."""

import hashlib
import json
from datetime import datetime, timedelta
from typing import Any

from pydantic import BaseModel
from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db import advisory_lock
from ringscope_server.db.models import IdempotencyKey

KEPT_FOR = timedelta(days=7)


class KeyReusedError(Exception):
    """The key was used before, for another request."""


def fingerprint(action: str, body: BaseModel | dict[str, Any] | None = None) -> str:
    """Return a fingerprint of a request: the action (such as "retry job 7") and the body, a model's with its defaults.

    It never covers the result of a request, which also depends on the time.
    """
    said = body.model_dump_json() if isinstance(body, BaseModel) else "" if body is None else json.dumps(body)
    return hashlib.sha256(f"{action}\n{said}".encode()).hexdigest()


async def earlier(session: AsyncSession, user: str, key: str | None, body_sha256: str) -> IdempotencyKey | None:
    """Return what this user's request under this key has made already, if it was carried out before.

    If several are sent at once, the first continues and the others wait here for its end. Raises KeyReusedError if the
    key was used for another request.
    """
    if key is None:
        return None
    await advisory_lock.hold(session, f"idempotency {user} {key}")
    row = await session.scalar(select(IdempotencyKey).where(IdempotencyKey.user == user, IdempotencyKey.key == key))
    if row is not None and row.body_sha256 != body_sha256:
        raise KeyReusedError
    return row


def remember(
    session: AsyncSession,
    user: str,
    key: str | None,
    body_sha256: str,
    target_type: str,
    target_id: int,
    now: datetime,
) -> None:
    """Store what a request has made, in the transaction that makes it."""
    if key is not None:
        session.add(
            IdempotencyKey(
                user=user,
                key=key,
                body_sha256=body_sha256,
                target_type=target_type,
                target_id=target_id,
                created_at=now,
            )
        )


async def forget_old(session: AsyncSession, now: datetime) -> None:
    """Delete the keys that no client will send again."""
    await session.execute(delete(IdempotencyKey).where(IdempotencyKey.created_at < now - KEPT_FOR))
