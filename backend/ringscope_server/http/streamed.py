"""Files that are sent while they are read."""

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing

from fastapi.responses import StreamingResponse


async def streamed(pieces: AsyncIterator[str], media_type: str, headers: Mapping[str, str]) -> StreamingResponse:
    """Return a file whose first piece is read before its head is sent, so a database error becomes an answer."""
    first = await anext(pieces, None)
    return StreamingResponse(_joined(first, pieces), media_type=media_type, headers=headers)


async def _joined(first: str | None, rest: AsyncIterator[str]) -> AsyncIterator[str]:
    async with aclosing(rest):  # type: ignore[type-var]  # it is a generator
        if first is not None:
            yield first
        async for piece in rest:
            yield piece
