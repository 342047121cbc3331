"""Pages of lists: opaque cursors over a growing key, so that a page never shifts under the reader."""

import base64
import binascii
from typing import Annotated

from fastapi import Query

from ringscope.contracts.findings import FieldError
from ringscope_server.http.problems import invalid

MAX_KEY = 2**63 - 1  # the largest integer of the databases
Limit = Annotated[int, Query(ge=1, le=1000, description="The number of rows of one page.")]
LimitOrAll = Annotated[int | None, Query(ge=1, le=1000, description="The number of rows of one page; default: all.")]
Cursor = Annotated[str | None, Query(max_length=200, description="The value of ``next`` in the page before.")]


def encode(key: int) -> str:
    """Return the cursor of the page after ``key``."""
    return base64.urlsafe_b64encode(str(key).encode()).decode().rstrip("=")


def decode(cursor: str | None) -> int | None:
    """Return the key in a cursor. Raises a 422 problem for a cursor that this server did not make."""
    if cursor is None:
        return None
    try:
        key = int(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if not 0 <= key <= MAX_KEY or encode(key) != cursor:
            raise ValueError(key)
        return key
    except (ValueError, binascii.Error) as error:
        sentence = "cursor: this is not a cursor of this server; pass the page's next unchanged, or leave it out."
        raise invalid([FieldError(pointer="/cursor", detail=sentence)]) from error


def next_cursor(ids: list[int], limit: int | None) -> str | None:
    """Return the cursor after a full page; a short page is the last one, and so is one without a limit."""
    return encode(ids[-1]) if len(ids) == limit else None
