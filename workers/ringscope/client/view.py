"""Base of all views: they accept unknown fields, so that an older command line works with a newer server."""

from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ringscope.contracts.errors import UserError

ItemT = TypeVar("ItemT")


class View(BaseModel):
    """Base of what the server shows; fields that this version does not know are kept."""

    # a command reads few of the views; one is built when it is first read
    model_config = ConfigDict(extra="allow", defer_build=True)

    @classmethod
    def read(cls, body: Any) -> Self:
        """The view in an answer; UserError for one that this version cannot read, such as a new kind of job."""
        try:
            return cls.model_validate(body)
        except ValidationError as error:
            where = ".".join(map(str, error.errors()[0]["loc"]))
            raise UserError(
                f"The server's answer cannot be read by this version ({cls.__name__}, {where}); update ringscope."
            ) from error


@dataclass(frozen=True)
class Page(Generic[ItemT]):
    """A page of a list; ``next`` is the cursor of the page after it, None on the last one."""

    items: list[ItemT]
    next: str | None
