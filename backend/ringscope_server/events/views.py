"""Events as the API shows them."""

from datetime import datetime

from pydantic import BaseModel


class EventView(BaseModel):
    """Something that happened, and who did it."""

    id: int
    time: datetime
    actor: str
    action: str
    target_type: str
    target_id: str
    before: str | None
    after: str | None
    message: str


class EventPage(BaseModel):
    """Events in the order of the list."""

    items: list[EventView]
    next: str | None
