"""What the server found wrong with jobs while they ran."""

from datetime import datetime
from typing import Any

from ringscope.client.connection import Connection
from ringscope.client.view import View


class Insight(View):
    """One finding; ``until`` is None while it is so. Its evidence comes with ``insights`` only."""

    id: int
    kind: str
    rank: int | None = None
    node: str | None = None
    message: str
    since: datetime
    until: datetime | None = None
    evidence: dict[str, Any] = {}


class Check(View):
    """Something that was checked of a job, or could not be, in a sentence."""

    check: str
    is_checked: bool
    sentence: str


class InsightRoutes(Connection):
    """/jobs/{id}/insights."""

    def insights(self, job_id: int) -> list[Insight]:
        """All of a job with their evidence, oldest first."""
        return [Insight.read(item) for item in self._page(f"/jobs/{job_id}/insights").items]

    def checks(self, job_id: int) -> list[Check]:
        """What was checked of a job's newest attempt, and what could not be."""
        answer = self._get(f"/jobs/{job_id}/insights")
        return [Check.read(item) for item in answer.get("checks", [])]
