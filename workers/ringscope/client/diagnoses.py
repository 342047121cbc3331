"""Diagnoses: the pairs of nodes that they measured, and their verdicts."""

from ringscope.client.connection import Connection
from ringscope.client.views.diagnoses import Baseline, Diagnosis, DiagnosisBaselines


class DiagnosisRoutes(Connection):
    """/jobs/{id}/diagnosis."""

    def diagnosis(self, job_id: int, attempt: int | None = None) -> Diagnosis:
        """Return what a diagnosis has measured, and its verdict; by default of the newest attempt."""
        return Diagnosis.read(self._get(f"/jobs/{job_id}/diagnosis", {"attempt": attempt}))

    def diagnosis_baselines(self, job_id: int, attempt: int | None = None) -> list[Baseline]:
        """Return the baselines against which a diagnosis holds its links; by default of the newest attempt."""
        path = f"/jobs/{job_id}/diagnosis/baselines"
        return DiagnosisBaselines.read(self._get(path, {"attempt": attempt})).items
