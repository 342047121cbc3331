"""Events as the API shows them."""

from datetime import datetime

from pydantic import BaseModel, Field


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


class EventType(BaseModel):
    """A type of events."""

    type: str = Field(description="Its name, such as job.failed; the noun before the dot groups the types.")
    meaning: str = Field(description="A sentence about what happened.")


class EventTypes(BaseModel):
    """All types of events, grouped by their noun."""

    items: list[EventType]
