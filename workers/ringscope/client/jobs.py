"""Jobs: their specification, their state, and the actions on them."""

from collections.abc import Mapping, Sequence
from typing import Any

from ringscope.client.connection import Connection
from ringscope.client.views import jobs as views
from ringscope.client.views.jobs import QueuePlan

FINISHED_STATES = frozenset({"succeeded", "failed", "cancelled"})


class Job(views.Job):
    """A job: where it stands and what came out."""

    @property
    def is_finished(self) -> bool:
        """Return whether the job has ended, so that nothing about it will change."""
        return self.state in FINISHED_STATES


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
        judgement: str | None = None,
    ) -> list[Job]:
        """Jobs, newest first; ``limit`` None: all of them, however many pages they fill.

        ``labels`` are written key:value; ``text`` is a part of the name or note, or the number; ``sort`` is a
        column such as busbw or, the most first, -busbw.
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
            "judgement": judgement,
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
        """Change name, priority, note or labels; with a revision only if the job still has it."""
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
