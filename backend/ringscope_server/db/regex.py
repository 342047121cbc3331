"""Regular expressions that people send, alike on both databases, and none that could keep the server busy.

Rust's regex crate, which pydantic has, needs time linear in the text. SQLite calls it. PostgreSQL has an engine of its
own, which is as safe without back references; it gets only what both read alike.
"""

import re
from functools import lru_cache

from pydantic_core import SchemaError, SchemaValidator, core_schema
from sqlalchemy import Text, TypeDecorator
from sqlalchemy.engine import Dialect

# Escapes and groups that only one of the two knows, or reads in its own way.
_OF_ONE_ENGINE = re.compile(r"\\[pPxuUzAZ<>]|\\b\{|(?!^\(\?i\))\(\?(?!:)|\[[^\]]*(&&|--|~~)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_POSTGRESQL = {"b": r"\y", "B": r"\Y"}


@lru_cache(maxsize=64)
def compiled(pattern: str) -> SchemaValidator:
    """Return a validator of texts that hold a match; ValueError with the reason for a pattern that is none."""
    if found := _OF_ONE_ENGINE.search(pattern):
        raise ValueError(f"{found[0]} is not supported; write it with plain characters, [classes] and (?:groups).")
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError as error:
        reason = str(error).partition("error: ")[2] or "it is too large"
        raise ValueError(f"{pattern!r} is no regular expression: {reason}; mend it.") from None


def checked(pattern: str) -> str:
    """The pattern, or ValueError as ``compiled`` has it."""
    compiled(pattern)
    return pattern


def matches(pattern: str, text: str) -> bool:
    """SQLite's REGEXP: whether a part of the text matches."""
    return compiled(pattern).isinstance_python(text)


class Pattern(TypeDecorator[str]):
    """A checked pattern as the database wants it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """PostgreSQL writes the edge of a word in another way."""
        if value is None or dialect.name == "sqlite":
            return value
        return _ESCAPED.sub(lambda escape: _POSTGRESQL.get(escape[1], escape[0]), value)
