"""Changes that people may make to a job once it is submitted; the specification itself never changes."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope.contracts.job import JobName
from ringscope.contracts.spec_model import SpecModel
from ringscope.contracts.words.job_states import TERMINAL
from ringscope.contracts.words.labels import NewLabels
from ringscope_server.db.models import Job
from ringscope_server.db.specs import spec_of
from ringscope_server.events import audit
from ringscope_server.jobs.service import WrongStateError, default_name

Note = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)]


class JobEdit(SpecModel):
    """The fields to change; fields that are left out keep their values."""

    name: JobName = Field("", description="The name; an empty one is replaced by one made from the specification.")
    priority: int = Field(50, ge=0, le=100, description="Higher runs first.")
    labels: NewLabels = Field({}, description="Labels that replace all labels of the job.")
    note: Note = Field("", description="What people write about the job; an empty note removes it.")


def edit(session: AsyncSession, job: Job, wanted: JobEdit, user: str, now: datetime) -> None:
    """Change a job that this transaction has locked. Raises WrongStateError.

    Every change raises the revision; a value that is already set changes nothing.
    """
    fields = wanted.model_dump(exclude_unset=True)
    if fields.get("name") == "":
        fields["name"] = default_name(spec_of(job))
    before = {name: getattr(job, name) for name in fields if getattr(job, name) != fields[name]}
    if not before:
        return
    if "priority" in before and job.state in TERMINAL:
        raise WrongStateError(f"Job {job.id} has already ended; its priority cannot change any more.")
    for name in before:
        setattr(job, name, fields[name])
    job.revision += 1
    audit.record_change(
        session, now, user, "job.changed", ("job", job.id), before, {name: fields[name] for name in before}
    )
