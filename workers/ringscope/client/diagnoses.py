"""Diagnoses: the pairs of nodes that they measured, and their verdicts."""

from ringscope.client.connection import Connection
from ringscope.client.views.diagnoses import Diagnosis


class DiagnosisRoutes(Connection):
    """/jobs/{id}/diagnosis."""

    def diagnosis(self, job_id: int, attempt: int | None = None) -> Diagnosis:
        """Return what a diagnosis has measured, and its verdict; by default of the newest attempt."""
        return Diagnosis.read(self._get(f"/jobs/{job_id}/diagnosis", {"attempt": attempt}))
