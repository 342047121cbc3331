"""ETags of what people edit: the revision, so that no person overwrites a change that they have not seen."""

from typing import Annotated

from fastapi import Header

from ringscope_server.http.problems import Problem

IfMatch = Annotated[
    str | None,
    Header(
        max_length=200, description="The ETag as it was read; the change is refused if the resource has changed since."
    ),
]


def etag(revision: int) -> str:
    """Return the ETag header of a revision."""
    return f'"{revision}"'


def require_match(if_match: str | None, revision: int) -> None:
    """Check If-Match. Raises a 412 problem if it names a revision other than the current one; without the header
    nothing.
    """
    if if_match is None:
        return
    named = {part.strip() for part in if_match.split(",")}
    if not named & {"*", etag(revision)}:
        sentence = f"If-Match: this was changed meanwhile and is now {etag(revision)}; read it again and repeat."
        raise Problem(412, "changed_meanwhile", sentence)
