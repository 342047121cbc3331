"""The Idempotency-Key header of every POST that creates something."""

from typing import Annotated

from fastapi import Header

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        description="A request with the same key and body within seven days creates nothing new.",
    ),
]
