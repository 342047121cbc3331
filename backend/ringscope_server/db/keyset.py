"""Lists that ascend by id: a page goes on behind a key, so that it never shifts under its reader."""

from typing import Any

from ringscope_server.db.models import Base


def after(query: Any, table: type[Base], limit: int, key: int | None) -> Any:
    """The query's next ``limit`` rows behind a key, or its first ones."""
    column = table.id  # type: ignore[attr-defined]  # every table read here has one
    if key is not None:
        query = query.where(column > key)
    return query.order_by(column).limit(limit)
