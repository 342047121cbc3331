"""Joining: a new node gets a token of its own in exchange for a join token."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db import advisory_lock
from ringscope_server.db.models import Node, Token
from ringscope_server.events import audit
from ringscope_server.users import tokens
from ringscope_server.users.tokens import User


class Joined(NamedTuple):
    """A node's new token, and whether that ended an earlier one."""

    secret: str
    has_replaced: bool


class NodeLivesError(Exception):
    """A live node with this name exists, and its agent has a valid token."""


async def join(session: AsyncSession, name: str, joiner: User, now: datetime) -> Joined:
    """Make the token of this node alone, and end earlier ones. Raises NodeLivesError, RevokedError.

    It ends when the join token is revoked, but not when that expires: a join token lasts a day, a node for years. An
    agent whose token was revoked may join again at once, although its node is not lost yet.
    """
    await tokens.kept(session, joiner.token_id)
    await advisory_lock.hold(session, f"join {name}")
    alive = select(Node.id).where(Node.name == name, Node.observed != "lost", Node.removed_at.is_(None))
    earlier = (await session.scalars(select(Token).where(Token.kind == "agent", Token.node == name))).all()
    if any(tokens.is_valid(old, now) for old in earlier) and await session.scalar(alive) is not None:
        raise NodeLivesError(name)
    for old in earlier:
        await session.delete(old)
    token, secret = tokens.draft(name, "agent", "agent", now, None, node=name, created_by=joiner.name)
    token.parent_id = joiner.token_id
    session.add(token)
    sentence = f"Node {name} got a token of its own."
    audit.record(session, now, joiner.name, "node.joined", ("node", name), message=sentence)
    return Joined(secret, bool(earlier))
