"""Problems that the server found in jobs while they ran, and what their ranks are doing now."""

from ringscope.client.connection import Connection
from ringscope.client.views.insights import Activity, Check, Insight


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
