"""Caveats that a reader needs before comparing a job's numbers, in the same words as on the page."""

from ringscope.client import Job
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.machine import shared_cores
from ringscope.judging.caveats import caveat_sentences, is_foreign
from ringscope.judging.mode import mode_of, non_default


def title(job: Job) -> str:
    """Return the job's name, after a mark if the job is simulated."""
    return titled(job.name, job.spec.is_simulated)


def titled(name: str, is_simulated: bool) -> str:
    """Mark a name as simulated; for jobs that are not submitted yet, or known by name alone."""
    return f"{SIMULATED.upper()} {name}".rstrip() if is_simulated else name


def marks(job: Job, is_unstable: bool) -> list[str]:
    """Return short names of the caveats, for a list that shows one number of the job without its row."""
    summary = job.summary
    wrong = f"{summary.wrong} wrong" if summary.wrong else ""
    unstable = "unstable" if is_unstable else ""
    crowded, disturbed = shared_cores(summary.ranks, summary.cores), "disturbed" if disturbed_by(job) else ""
    imported = "imported" if is_foreign(job.kind, job.is_adopted) else ""
    return [*filter(None, (imported, wrong, unstable, *_non_default(job), crowded, disturbed))]


def sentences(job: Job) -> list[str]:
    """Return the caveats as sentences, with their reasons."""
    summary, foreign = job.summary, is_foreign(job.kind, job.is_adopted)
    about = summary.ranks, summary.cores, disturbed_by(job), summary.lowered_max_bytes
    return caveat_sentences(job.spec.benchmark, foreign, *about)


def disturbed_by(job: Job) -> str | None:
    """Return what disturbed the last attempt; for training, whose results cover all attempts, the newest disturbed
    one.
    """
    counted = job.attempts[-1:] if job.spec.benchmark is not None else job.attempts
    return next((attempt.disturbed_by for attempt in reversed(counted) if attempt.disturbed_by), None)


def _non_default(job: Job) -> dict[str, str]:
    return non_default(mode_of(job.spec.benchmark, job.spec.env)) if job.spec.benchmark else {}
