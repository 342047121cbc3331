"""Diagnoses: the pairs of nodes that they measured, and their verdicts."""

from ringscope.client.connection import PAGE_ITEMS, Connection
from ringscope.client.views.diagnoses import Baseline, Diagnosis, DiagnosisBaselines


class DiagnosisRoutes(Connection):
    """/jobs/{id}/diagnosis."""

    def diagnosis(self, job_id: int, attempt: int | None = None, without_measured: bool = False) -> Diagnosis:
        """Return what a diagnosis has measured, and its verdict; by default of the newest attempt.

        The pairs come in pages, which are put together. ``without_measured`` leaves out those that were measured.
        """
        path = f"/jobs/{job_id}/diagnosis"
        query = {"attempt": attempt, "without_measured": without_measured or None, "limit": PAGE_ITEMS}
        found = Diagnosis.read(self._get(path, query))
        pairs = found.pairs
        while found.next is not None:
            found = Diagnosis.read(self._get(path, query | {"cursor": found.next}))
            pairs += found.pairs
        return found.model_copy(update={"pairs": pairs})

    def diagnosis_baselines(self, job_id: int, attempt: int | None = None) -> list[Baseline]:
        """Return the baselines against which a diagnosis holds its links; by default of the newest attempt."""
        path = f"/jobs/{job_id}/diagnosis/baselines"
        return DiagnosisBaselines.read(self._get(path, {"attempt": attempt})).items
