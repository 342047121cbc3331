"""Tokens whose secrets the operator chose, so that agents and Prometheus can start together with the server."""

import logging
from datetime import datetime
from typing import NamedTuple

from pydantic import SecretStr
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import Event, Token
from ringscope_server.events import audit
from ringscope_server.settings import Settings
from ringscope_server.users import tokens
from ringscope_server.users.tokens import Role, TokenKind

logger = logging.getLogger(__name__)

SHOWN_DIGITS = 16  # enough to know a secret again, and nothing to guess it by


class GivenTokenError(Exception):
    """A given token is not valid; the message is one sentence for the operator."""


class Given(NamedTuple):
    """A setting that holds a secret, and the token that it makes."""

    setting: str
    name: str
    kind: TokenKind
    role: Role


GIVEN = (Given("join_token", "cluster", "join", "join"), Given("metrics_token", "prometheus", "personal", "viewer"))


async def register(session: AsyncSession, settings: Settings, now: datetime) -> None:
    """Make the tokens that the settings give and that were never made; raises GivenTokenError.

    A revoked token stays revoked, even if the setting is still there at the next start.
    """
    for given in GIVEN:
        secret: SecretStr | None = getattr(settings, given.setting)
        if secret is not None:
            await _register(session, given, secret.get_secret_value().strip(), now)


async def _register(session: AsyncSession, given: Given, secret: str, now: datetime) -> None:
    sha256 = tokens.fingerprint(secret)
    known = await session.scalar(select(Token).where(Token.sha256 == sha256))
    if known is not None:
        if (known.kind, known.role) != (given.kind, given.role):
            raise GivenTokenError(
                f"--{given.setting.replace('_', '-')}: this secret is that of another token "
                f"({known.kind}, {known.role}); choose one that is used for nothing else."
            )
        return
    message = f"{given.kind} token for {given.name}, given as {given.setting} (SHA-256 {sha256[:SHOWN_DIGITS]})"
    if await session.scalar(select(Event.id).where(Event.action == "token.created", Event.message == message)):
        logger.warning("The given %s was revoked, and is not made again; give another.", given.setting)
        return
    token, _ = tokens.draft(given.name, given.kind, given.role, now, None, note="given at start", secret=secret)
    session.add(token)
    await session.flush()
    audit.record(session, now, audit.SYSTEM, "token.created", ("token", token.id), after=given.role, message=message)
