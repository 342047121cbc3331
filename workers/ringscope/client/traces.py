"""Traces of single operations of a job: every transfer of every rank."""

from typing import Any

from ringscope.client.connection import Connection
from ringscope.client.view import View
from ringscope.contracts.operation_trace import OperationTrace
from ringscope.contracts.operation_trace import TracedOperation as _TracedOperation


class TracedOperation(View, _TracedOperation):
    """The operation that a trace records."""


class JobTrace(View, OperationTrace):
    """One operation, transfer by transfer."""


class TraceRoutes(Connection):
    """/jobs/{id}/traces, trace and trace.perfetto.json."""

    def traces(self, job_id: int, attempt: int | None = None) -> list[TracedOperation]:
        """List the traced operations of an attempt, by default the newest."""
        return [TracedOperation.read(item) for item in self._page(f"/jobs/{job_id}/traces", {"attempt": attempt}).items]

    def trace(
        self,
        job_id: int,
        size_bytes: int | None = None,
        algorithm: str | None = None,
        in_place: bool | None = None,
        attempt: int | None = None,
    ) -> JobTrace:
        """One of them; without a size the largest."""
        query = {"size_bytes": size_bytes, "algorithm": algorithm, "in_place": in_place, "attempt": attempt}
        return JobTrace.read(self._get(f"/jobs/{job_id}/trace", query))

    def trace_for_perfetto(
        self,
        job_id: int,
        size_bytes: int | None = None,
        algorithm: str | None = None,
        in_place: bool | None = None,
        attempt: int | None = None,
    ) -> dict[str, Any]:
        """Return the trace as Chrome trace events."""
        query = {"size_bytes": size_bytes, "algorithm": algorithm, "in_place": in_place, "attempt": attempt}
        document: dict[str, Any] = self._get(f"/jobs/{job_id}/trace.perfetto.json", query)
        return document
