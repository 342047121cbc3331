"""Cost-model times for clusters that are only described, for jobs, and for given numbers."""

from collections.abc import Mapping
from typing import Any

from ringscope.client.connection import Connection
from ringscope.client.views.planning import Example, JobFit, PriceTable, Sensitivities


class PlanningRoutes(Connection):
    """/plan, /jobs/{id}/fit and /trace."""

    def plan(self, body: Mapping[str, Any]) -> PriceTable:
        """Return the cost of a collective with each algorithm."""
        return PriceTable.read(self._asked("/plan", body))

    def sensitivity(self, body: Mapping[str, Any]) -> Sensitivities:
        """Return how the times change with each link parameter."""
        return Sensitivities.read(self._asked("/plan/sensitivity", body))

    def fit(self, job_id: int, attempt: int | None = None) -> JobFit:
        """α, β and γ from the rows of a job; of the newest attempt if none is named."""
        return JobFit.read(self._get(f"/jobs/{job_id}/fit", {"attempt": attempt}))

    def trace_example(self, body: Mapping[str, Any]) -> Example:
        """A collective on given numbers."""
        return Example.read(self._asked("/trace", body))

    def trace_perfetto(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the example as a document for ui.perfetto.dev."""
        return self._asked("/trace/perfetto", body)

    def _asked(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return self._body(self._send("POST", path, is_repeatable=True, json=dict(body)))
