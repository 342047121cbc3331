"""A running elastic job that has fewer ranks than it asks for, in sentences. Pure."""

from ringscope.contracts.elastic import LOSSES
from ringscope.contracts.job import JobSpec
from ringscope_server.db.models import Job


def fewer_ranks(job: Job, spec: JobSpec, epochs_done: int) -> str:
    """Return since when and why it has fewer, and when it may get more; empty for any other job.

    ``job`` is loaded with its attempts.
    """
    asked = spec.placement.ranks
    if spec.placement.min_ranks is None or spec.training is None or job.state != "running" or job.ranks >= asked:
        return ""
    *earlier, newest = job.attempts
    since = f" since {newest.started_at:%H:%M:%S} UTC" if newest.started_at else ""
    lost = [attempt.message for attempt in earlier if attempt.reason in LOSSES]
    why = lost[-1] if lost else "No more slots were free when it started."
    following = epochs_done + 1  # after the last epoch there is nothing left to do
    more = (
        f"It gets more at the end of epoch {following} if slots are free." if following < spec.training.epochs else ""
    )
    return " ".join(filter(None, (f"Runs on {job.ranks} of {asked} ranks{since}.", why, more)))
