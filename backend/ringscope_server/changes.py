"""The jobs and nodes that a transaction touched, and the notices to send once it is committed."""

from dataclasses import dataclass, field
from datetime import datetime

from ringscope.contracts.words.job_states import TERMINAL
from ringscope_server.db.models import Attempt, Job
from ringscope_server.jobs.views import JobView
from ringscope_server.live.feed import publish_jobs, publish_new_job, publish_nodes, publish_steps
from ringscope_server.monitoring.job_families import outcome_label
from ringscope_server.services import Services
from ringscope_server.users import tokens


@dataclass
class Changes:
    """Ids that a transaction touched, to be told about after its commit."""

    jobs: set[int] = field(default_factory=set)
    nodes: set[int] = field(default_factory=set)
    submitted: list[str] = field(default_factory=list)  # kinds, for the counters
    waits: list[tuple[str, float]] = field(default_factory=list)  # kind and seconds, of jobs that started
    finished: list[tuple[str, str]] = field(default_factory=list)  # kind and outcome, for the counters
    durations: list[tuple[str, str, float]] = field(default_factory=list)  # kind, outcome and seconds
    frees_slots: bool = False
    over: set[int] = field(default_factory=set)  # jobs of which a gang is over

    def attempt(self, attempt: Attempt) -> None:
        """Everything that an attempt's change concerns."""
        self.jobs.add(attempt.job_id)
        self.nodes.update(member.node_id for member in attempt.members)

    def new(self, job: Job) -> None:
        """A job was submitted."""
        self.jobs.add(job.id)
        self.submitted.append(job.kind)

    def update(self, other: "Changes") -> None:
        """Add the changes of another part of the same transaction."""
        self.jobs |= other.jobs
        self.nodes |= other.nodes
        self.submitted += other.submitted
        self.waits += other.waits
        self.finished += other.finished
        self.durations += other.durations
        self.frees_slots |= other.frees_slots
        self.over |= other.over

    def started(self, job: Job, now: datetime) -> None:
        """All ranks of a job run."""
        self.waits.append((job.kind, (now - job.queued_at).total_seconds()))

    def ended(self, job: Job) -> None:
        """A gang is over: its job reached its end, or waits for the next try."""
        self.frees_slots = True
        self.over.add(job.id)
        if job.state in TERMINAL:
            outcome = outcome_label(job.state, job.reason)
            self.finished.append((job.kind, outcome))
            if job.started_at is not None and job.finished_at is not None:
                seconds = (job.finished_at - job.started_at).total_seconds()
                self.durations.append((job.kind, outcome, seconds))


async def announce(services: Services, changes: Changes, submitted: JobView | None = None) -> None:
    """Wake the agents, notify the browsers and the other servers, and count the ends, after a commit.

    ``submitted`` is one of the jobs as it came into the queue, which need not be read again for the browsers.
    """
    for node_id in changes.nodes:
        services.signals.assignments_changed(node_id)
    for kind in changes.submitted:
        services.monitoring.submitted[kind] += 1
    for kind, outcome in changes.finished:
        services.monitoring.finished[kind, outcome] += 1
    for kind, seconds in changes.waits:
        services.monitoring.queue_waits.of(kind).observe([seconds])
    for kind, outcome, seconds in changes.durations:
        services.monitoring.durations.of(kind, outcome).observe([seconds])
    if changes.submitted or changes.frees_slots:
        services.signals.wake_scheduler()
    services.notices.put(changes.jobs, changes.nodes)
    publish_steps(services.stream, services.steps.take(changes.over))  # the last ones come before the end
    services.steps.forget(changes.over)
    if submitted is not None:
        publish_new_job(services.stream, submitted)
    to_read = changes.jobs - ({submitted.id} if submitted else set())
    await publish_jobs(services.database, services.stream, sorted(to_read))
    await publish_nodes(services.database, services.stream, sorted(changes.nodes), services.now())


async def announce_ended_tokens(services: Services) -> None:
    """Refuse ended tokens and sessions here and on the other servers, after the commit that ended them."""
    services.notices.tokens_ended()
    await forget_tokens(services)


async def announce_gap(services: Services) -> None:
    """Another server scheduled until now, and may have died between a commit and its notices: every server looks."""
    services.notices.gap()
    await start_over(services)


async def start_over(services: Services) -> None:
    """Nobody has told of what changed meanwhile: all of it is looked up."""
    await forget_tokens(services)
    services.stream.start_over()
    services.signals.everything_changed()


async def forget_tokens(services: Services) -> None:
    """Remember nothing of any token, and end the streams of those that are worth nothing any more."""
    services.token_cache.clear()
    owners = services.stream.owners
    if not owners:
        return
    async with services.database.read() as session:
        valid = await tokens.still_valid(session, owners, services.now())
    services.stream.end(owners - valid)
