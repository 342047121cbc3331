"""The specification of a job that repeats another one, with or without changes."""

import re
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ringscope.contracts.findings import FieldError, field_errors
from ringscope.contracts.job import IMPORTED, JobSpec, NewJob
from ringscope.contracts.merge_patch import merge_patch
from ringscope.contracts.training import ONE_NODE
from ringscope_server.db.models import Job
from ringscope_server.db.specs import spec_of
from ringscope_server.jobs.service import InvalidJobError, default_name

MAX_PATCH_DEPTH = 20  # a specification is not even half as deep
MAX_NAME_CHARACTERS = 200
_NEW_JOB: TypeAdapter[JobSpec] = TypeAdapter(NewJob)
_CLONE_OF = re.compile(r" \(clone of [0-9]+\)$")


def repeated(job: Job) -> JobSpec:
    """Return the same specification with the name, priority and labels that people have given the job since.

    Raises InvalidJobError for an imported job, which ran elsewhere.
    """
    spec = spec_of(job)
    if spec.kind == IMPORTED:
        sentence = f"Job {job.id} has results of another tool; `ringscope bench` or `ringscope submit` measures here."
        raise InvalidJobError([FieldError(pointer="", detail=sentence)])
    name = "" if job.name == default_name(spec) else job.name
    return spec.model_copy(update={"name": name, "priority": job.priority, "labels": job.labels, "hold": False})


def retried(job: Job) -> JobSpec:
    """Return the same specification; training that was cut short continues from its last checkpoint."""
    spec = repeated(job)
    if spec.training is None or not spec.training.keeps_checkpoints or job.state == "succeeded":
        return spec
    if (
        not 0 < job.summary.get("epochs_done", 0) < spec.training.epochs
    ):  # there is no checkpoint yet, or nothing is left to do
        return spec
    return spec.model_copy(update={"training": spec.training.model_copy(update={"resume_from": job.id})})


def changed(job: Job, patch: dict[str, Any]) -> JobSpec:
    """Return the specification with the changes of a merge patch (RFC 7396). Raises InvalidJobError.

    Without a name in the patch, a name that was made from the specification is made again, and any other one states
    which job was cloned.
    """
    if _depth(patch) > MAX_PATCH_DEPTH:
        sentence = f"the request body is nested deeper than {MAX_PATCH_DEPTH} levels; no specification is."
        raise InvalidJobError([FieldError(pointer="", detail=sentence)])
    base = repeated(job)
    name = f"{_CLONE_OF.sub('', base.name)} (clone of {job.id})" if base.name else ""
    document = base.model_dump(mode="json") | {"name": name if len(name) <= MAX_NAME_CHARACTERS else base.name}
    if base.training is not None and base.training.strategy in ONE_NODE:
        document["placement"]["nodes"] = None  # the strategy determines it; another strategy may have several
    try:
        return _NEW_JOB.validate_python(merge_patch(document, patch))
    except ValidationError as error:
        raise InvalidJobError(field_errors(error)) from error


def _depth(document: Any) -> int:
    """Return how deep objects are nested; without recursion, because a client chooses the depth."""
    depth, level = 0, [document]
    while level:
        depth += 1
        level = [value for item in level if isinstance(item, dict) for value in item.values()]
    return depth
