"""The tokens that each start keeps in the data directory: an administrator's for the command line, and a join token."""

import logging
import os
import secrets
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db import advisory_lock
from ringscope_server.db.engine import Database
from ringscope_server.db.models import Token
from ringscope_server.events import audit
from ringscope_server.users import tokens
from ringscope_server.users.tokens import Role, TokenKind

logger = logging.getLogger(__name__)

KEPT: tuple[tuple[TokenKind, Role], ...] = (("personal", "admin"), ("join", "join"))
# Several servers share a PostgreSQL, each with a directory: which of the tokens are its own, this file says.
ID_FILE = "directory-id"


async def keep(database: Database, data_path: Path, now: datetime) -> None:
    """Make the tokens whose files are missing or invalid, and revoke those that were in them before."""
    async with database.write() as session:
        await advisory_lock.hold(session, "token files")  # servers may even share a directory
        note = f"of the data directory {_id_of(data_path)}"
        # A SQLite file has one directory: tokens from before there were notes can only be of this one.
        notes = (note, "") if database.is_sqlite else (note,)
        for kind, role in KEPT:
            await _keep(session, data_path / f"{role}-token", kind, role, notes, now)
        await _end_those_for_all_nodes(session, now)


async def _keep(
    session: AsyncSession, path: Path, kind: TokenKind, role: Role, notes: Sequence[str], now: datetime
) -> None:
    of_this_file = [Token.kind == kind, Token.role == role, Token.name == role]
    of_this_file += [Token.created_by == audit.SYSTEM, Token.note.in_(notes)]
    own = (await session.scalars(select(Token).where(*of_this_file).order_by(Token.id))).all()
    secret = _read(path)
    token = await tokens.find(session, secret, now) if secret else None
    if token is None:
        token, secret = tokens.draft(role, kind, role, now, None, note=notes[0])
        session.add(token)
        _write(path, secret)
    elif token not in own:
        return  # somebody has put another one there
    token.note = notes[0]
    earlier = [other for other in own if other is not token]
    await _revoke(session, earlier, now)
    if earlier:
        logger.warning("%s is new: what it held before is revoked, with all that was made with it.", path)


async def _end_those_for_all_nodes(session: AsyncSession, now: datetime) -> None:
    """End the tokens of an earlier version that were valid for all nodes; each node joins and has its own."""
    found = (await session.scalars(select(Token).where(Token.kind == "agent", Token.node.is_(None)))).all()
    await _revoke(session, found, now)
    if found:
        logger.warning("%d tokens that spoke for all nodes are revoked; agents that used them join anew.", len(found))


async def _revoke(session: AsyncSession, found: Sequence[Token], now: datetime) -> None:
    for token in found:
        message = f"{token.kind} token for {token.name}"
        target = ("token", token.id)
        audit.record(session, now, audit.SYSTEM, "token.revoked", target, before=token.role, message=message)
        await session.delete(token)


def _id_of(data_path: Path) -> str:
    path = data_path / ID_FILE
    if (known := _read(path)) is None:
        known = secrets.token_hex(4)
        _write(path, known)
    return known


def _read(path: Path) -> str | None:
    """Return the content of the file; None if there is no such file or it is empty."""
    return (path.read_text().strip() or None) if path.is_file() else None


def _write(path: Path, text: str) -> None:
    """Write the file so that only the owner of the data directory can read it (mode 0600)."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text + "\n")
