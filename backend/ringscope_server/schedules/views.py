"""The API's views of schedules."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from ringscope.contracts.environment import shown
from ringscope.contracts.job import NewJob
from ringscope.contracts.spec_model import SpecModel
from ringscope_server.db.names import Name
from ringscope_server.schedules.times import check_cron, check_timezone

Overlap = Literal["skip", "queue", "replace"]


def without_secrets(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a stored specification as people see it, whether it is still valid or not."""
    return spec | {"env": shown(spec["env"])} if spec.get("env") else spec


class ScheduleBody(SpecModel):
    """The fields of a schedule that a person sets."""

    name: Name
    cron: Annotated[str, AfterValidator(check_cron)] = Field(
        max_length=200, description="Minute, hour, day of month, month, day of week, such as 30 2 * * MON-FRI."
    )
    timezone: Annotated[str, AfterValidator(check_timezone)] = Field(
        "UTC", max_length=100, description="An IANA time zone, such as Europe/Berlin."
    )
    overlap: Overlap = Field(
        "skip",
        description="What happens while a job of this schedule has not ended: skip the time, queue one more job, or "
        "replace the job, which cancels it and submits a new one.",
    )
    is_enabled: bool = True
    drain_on_blame: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Drain a node that a diagnosis of this schedule blames, while no more than this share of all nodes "
        "is drained with it. null: no node is drained.",
    )
    spec: NewJob = Field(description="The job that is submitted at each time.")

    @model_validator(mode="after")
    def _drains_by_a_diagnosis(self) -> Self:
        if self.drain_on_blame is not None and self.spec.kind != "diagnosis":
            raise ValueError("drain_on_blame: only a job of kind diagnosis blames nodes; leave it out.")
        return self


class ScheduleView(BaseModel):
    """A schedule, its next time, and the outcome of the last one."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    cron: str
    timezone: str
    overlap: Overlap
    is_enabled: bool
    drain_on_blame: float | None = Field(
        None, description="The share of all nodes up to which nodes that its diagnoses blame are drained; null: none."
    )
    spec: Annotated[dict[str, Any], AfterValidator(without_secrets)] = Field(
        description="The job that is submitted at each time."
    )
    user: str = Field(description="The user in whose name the jobs are submitted.")
    revision: int = Field(description="The revision grows with each edit; the ETag is derived from it.")
    created_at: datetime
    next_fire_at: datetime | None = Field(description="The next time; null while the schedule is disabled.")
    last_fire_at: datetime | None
    last_job_id: int | None
    last_outcome: str = Field(description="A sentence about what happened at the last time.")


class SchedulePage(BaseModel):
    """A page of schedules, newest first; pass ``next`` as ``cursor`` for the page after it."""

    items: list[ScheduleView]
    next: str | None


class UpcomingTimes(BaseModel):
    """The next times of a schedule or of a cron expression."""

    items: list[datetime]
