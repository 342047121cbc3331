"""Types of columns, and the base of every table. Times are UTC; durations carry their unit in the name."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, MetaData, Text, TypeDecorator
from sqlalchemy import DateTime as SqlDateTime
from sqlalchemy import Integer as SqlInteger
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase


class UtcDateTime(TypeDecorator[datetime]):
    """Aware datetimes in, aware UTC datetimes out: SQLite itself keeps no zone."""

    impl = SqlDateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse naive times, store UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone must not reach the database")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give the zone back."""
        if value is None:
            return None
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


class NulFreeText(TypeDecorator[str]):
    """Text without the NUL character, which PostgreSQL cannot store and which ranks may well print."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Put the replacement character in its place."""
        return value if value is None else value.replace("\0", "\N{REPLACEMENT CHARACTER}")


# SQLite only counts up by itself in a plain INTEGER key; elsewhere ids are 64 bit.
BigKey = BigInteger().with_variant(SqlInteger, "sqlite")


class Base(DeclarativeBase):
    """Declarative base; constraint names are fixed so that migrations can name them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {
        datetime: UtcDateTime,
        dict[str, Any]: JSON,
        str: Text().with_variant(NulFreeText(), "postgresql"),
        list[dict[str, Any]]: JSON,
        list[str]: JSON,
    }
