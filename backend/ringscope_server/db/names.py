"""Names that people give, each to one thing of its kind only."""

from typing import Annotated

from pydantic import AfterValidator, Field
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession


class NameTakenError(Exception):
    """Another thing of this kind has the name; the message is one sentence."""


def check_name(name: str) -> str:
    """The name itself. Raises ValueError with a sentence when it cannot be shown on one line."""
    if not name.isprintable() or name != name.strip():
        raise ValueError(f"{name!r} has control characters, or spaces around it; leave them out.")
    return name


Name = Annotated[str, AfterValidator(check_name), Field(min_length=1, max_length=200)]


async def flush_named(session: AsyncSession, noun: str, name: str) -> None:
    """Write what was added or renamed, all of it of this kind. Raises NameTakenError."""
    try:
        await session.flush()
    except IntegrityError as error:
        raise NameTakenError(f"There is a {noun} {name!r} already; choose another name.") from error
