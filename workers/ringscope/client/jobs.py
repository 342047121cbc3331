"""Jobs: their specification, their state, and the actions on them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import Field

from ringscope.client.connection import Connection
from ringscope.client.insights import Insight
from ringscope.client.view import View
from ringscope.contracts.job import JobSpec

FINISHED_STATES = frozenset({"succeeded", "failed", "cancelled"})


class Progress(View):
    """Progress of a job: rows of a sweep's table, or steps of training, whose total is unknown at first."""

    done: int
    total: int | None = None


class SizeBusbw(View):
    """The bus bandwidth at one size."""

    size_bytes: int
    busbw_gb_per_s: float
    is_unstable: bool = False


class Best(View):
    """The best row of one algorithm; the iterations of an unstable one differ so much that their mean says little."""

    algorithm: str
    size_bytes: int
    busbw_gb_per_s: float
    is_unstable: bool = False


class ClearWinner(View):
    """Sizes at which one algorithm clearly beats all others."""

    algorithm: str
    in_place: bool
    min_bytes: int
    max_bytes: int


class Summary(View):
    """Results of a job: words for a benchmark, numbers for training (loss None: it was not finite).

    ``best`` has the fastest algorithm first, ``wrong`` counts elements over all checks. ``sizes`` and
    ``min_size_p99_us`` are of the fastest algorithm, ``limit_gb_per_s`` of the links.
    """

    verdict: str = ""
    explanation: str = ""
    best: list[Best] = []
    winners: list[ClearWinner] = []
    wrong: int = 0
    sizes: list[SizeBusbw] = []
    min_size_p99_us: float | None = None
    limit_gb_per_s: float | None = None
    ranks: int = 0
    cores: int | None = None
    loss: float | None = None
    validation_accuracy: float | None = None
    samples_per_second: float | None = None
    step_seconds: float | None = None
    exposed_communication_seconds: float | None = None
    epochs_done: int = 0
    steps_done: int = 0
    seconds_to_target: float | None = None
    scaling_efficiency: float | None = None


class Pending(View):
    """Why a job waits; position 1 is the next in the queue."""

    reason: str
    sentence: str
    estimated_start: datetime | None = None
    position: int | None = None


class Member(View):
    """One node's share of a gang, and how far it has come: assigned, ready, running, ended, quarantined or clean."""

    node: str
    phase: str


class Attempt(View):
    """One try at running a job: the nodes of its gang, in rank order."""

    number: int = 1
    nodes: list[str]
    members: list[Member] = []
    reason: str | None = None
    message: str = ""
    bad_node: str | None = None
    bad_rank: int | None = None
    disturbed_by: str | None = None
    created_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None


class Job(View):
    """A job: where it stands and what came out."""

    id: int
    name: str
    kind: str
    spec: JobSpec
    state: str
    reason: str | None
    message: str
    advice: str = ""
    user: str = ""
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    priority: int = 50
    labels: dict[str, str] = {}
    revision: int = 1
    cloned_from: int | None = None
    schedule_id: int | None = None
    not_before: datetime | None = None
    excluded_nodes: list[str] = []
    pending: Pending | None
    progress: Progress
    summary: Summary
    attempts: list[Attempt] = []
    insights: list[Insight] = []

    @property
    def is_finished(self) -> bool:
        """Return whether the job has ended, so that nothing about it will change."""
        return self.state in FINISHED_STATES


class Share(View):
    """The part of a gang on one node: the slots that it would use there."""

    node: str
    slots: list[int]


class Delay(View):
    """A waiting job whose estimated start would move."""

    job_id: int
    name: str
    is_simulated: bool = False
    before: datetime | None = Field(None, alias="from")
    after: datetime | None = Field(None, alias="to")


class QueuePlan(View):
    """Plan for a job if it were submitted now."""

    starts_now: bool
    estimated_start: datetime | None
    pending: Pending | None
    shares: list[Share] = []
    position: int | None = None
    delays: list[Delay] = []
    preempted_jobs: list[int] = []


class JobRoutes(Connection):
    """/jobs and /plan/queue."""

    def submit(self, body: Mapping[str, Any], idempotency_key: str | None = None) -> Job:
        """Create a job. The same key and body give the first job again; without one the client makes it up."""
        return _job(self._create("/jobs", body, idempotency_key))

    def plan_queue(self, body: Mapping[str, Any]) -> QueuePlan:
        """Return what would happen if this job were submitted now; nothing is submitted."""
        # a POST, since a specification is too long for a query; it changes nothing
        response = self._send("POST", "/plan/queue", is_repeatable=True, json=dict(body))
        return QueuePlan.read(self._body(response))

    def job(self, job_id: int) -> Job:
        """One job as it is now."""
        return _job(self._get(f"/jobs/{job_id}"))

    def jobs(
        self,
        state: str | Sequence[str] | None = None,
        limit: int | None = 20,
        kind: str | None = None,
        user: str | None = None,
        labels: Sequence[str] = (),
        text: str | None = None,
        schedule_id: int | None = None,
        node: str | None = None,
        collective: str | None = None,
        algorithm: str | None = None,
        sort: str | None = None,
    ) -> list[Job]:
        """Jobs, newest first; ``limit`` None: all of them, however many pages they fill.

        ``labels`` are written key:value; ``text`` is a part of the name, or the number; ``sort`` is a column such as
        busbw or, the most first, -busbw.
        """
        query = {
            "state": [state] if isinstance(state, str) else state,
            "kind": kind,
            "user": user,
            "label": labels,
            "q": text,
            "schedule_id": schedule_id,
            "node": node,
            "collective": collective,
            "algorithm": algorithm,
            "sort": sort,
        }
        return [_job(item) for item in self._items("/jobs", query, limit)]

    def job_counts(self, text: str | None = None) -> dict[str, dict[str, int]]:
        """Count the newest jobs by state, kind, collective, algorithm and user."""
        counted = self._get("/jobs/facets", {"q": text})
        return {
            facet: {item["value"]: item["count"] for item in items}
            for facet, items in counted.items()
            if isinstance(items, list)
        }

    def edit_job(self, job_id: int, changes: Mapping[str, Any], revision: int | None = None) -> Job:
        """Change name, priority or labels; with a revision only if the job still has it."""
        return _job(self._change("PATCH", f"/jobs/{job_id}", changes, revision))

    def cancel(self, job_id: int) -> Job:
        """Ask for the job to be stopped; its ranks may still be ending when this returns."""
        return _job(self._bring(f"/jobs/{job_id}/cancel"))

    def hold(self, job_id: int) -> Job:
        """Keep a waiting job from starting."""
        return _job(self._bring(f"/jobs/{job_id}/hold"))

    def release(self, job_id: int) -> Job:
        """Let a held job queue."""
        return _job(self._bring(f"/jobs/{job_id}/release"))

    def retry(self, job_id: int) -> Job:
        """An ended job again, as a new one."""
        return _job(self._create(f"/jobs/{job_id}/retry"))

    def clone(self, job_id: int, changes: Mapping[str, Any]) -> Job:
        """A job again with changes to its specification (a merge patch, RFC 7396), as a new one."""
        return _job(self._create(f"/jobs/{job_id}/clone", changes))


def _job(body: dict[str, Any]) -> Job:
    return Job.read(body)
