"""Problems that the server found in jobs while they ran, and what their ranks are doing now."""

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


class Activity(View):
    """Activity of some ranks of a running job; ``since`` is None if it is not known."""

    doing: str
    is_loading: bool = False
    ranks: list[int] = []
    count: int = 0
    nodes: list[str] = []
    since: datetime | None = None


class InsightRoutes(Connection):
    """/jobs/{id}/insights and /jobs/{id}/activity."""

    def insights(self, job_id: int) -> list[Insight]:
        """All of a job with their evidence, oldest first."""
        return [Insight.read(item) for item in self._page(f"/jobs/{job_id}/insights").items]

    def checks(self, job_id: int) -> list[Check]:
        """Return the checks of a job's newest attempt, including those that could not run."""
        answer = self._get(f"/jobs/{job_id}/insights")
        return [Check.read(item) for item in answer.get("checks", [])]

    def activity(self, job_id: int) -> list[Activity]:
        """Return what the ranks of a running job are doing now, ranks that load first."""
        return [Activity.read(item) for item in self._page(f"/jobs/{job_id}/activity").items]
