"""Results of other tools: previewed, stored as jobs, and read again."""

from collections.abc import Iterator, Mapping
from typing import Any

from ringscope.client.connection import Connection
from ringscope.client.jobs import Job
from ringscope.client.views.imports import ImportDetail, Judgement, StoredFiles


class ImportRoutes(Connection):
    """/imports, /jobs/{id}/judgement, and of imported jobs /import, adopt and disown."""

    def preview_imports(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the server reads in files; nothing is stored."""
        return self._bring("/imports/preview", body)

    def store_imports(self, body: Mapping[str, Any]) -> StoredFiles:
        """Store files, each table as a job; the same file with the same facts makes its jobs once."""
        return StoredFiles.read(self._bring("/imports", body))

    def import_detail(self, job_id: int) -> ImportDetail:
        """Return the file of an imported job, the stated facts, and whether the job was adopted."""
        return ImportDetail.read(self._get(f"/jobs/{job_id}/import"))

    def judgement(self, job_id: int) -> Judgement:
        """Return whether the bandwidth of a benchmark or an imported job is what was to be expected."""
        return Judgement.read(self._get(f"/jobs/{job_id}/judgement"))

    def import_text(self, job_id: int) -> Iterator[str]:
        """Yield the text of an imported job's file, piece by piece."""
        return self._text(f"/jobs/{job_id}/import/text", {})

    def adopt(self, job_id: int) -> Job:
        """Let an imported job count as a good run of this cluster."""
        return Job.read(self._bring(f"/jobs/{job_id}/adopt"))

    def disown(self, job_id: int) -> Job:
        """Let an adopted job no longer count."""
        return Job.read(self._bring(f"/jobs/{job_id}/disown"))
