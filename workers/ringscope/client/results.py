"""Measurements and output of jobs."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ringscope.client.connection import Connection
from ringscope.client.view import Page
from ringscope.client.views.events import Event
from ringscope.client.views.results import (
    Arrival,
    AttemptEnvironment,
    LatencyCurve,
    Lateness,
    LogLine,
    LogOutline,
    NewestSteps,
    RangeVerdict,
    Step,
)
from ringscope.contracts.record import Measurement
from ringscope.contracts.sweep_row import SweepRow


class ResultRoutes(Connection):
    """/jobs/{id}/measurements, verdict, steps, arrivals, latencies, lateness, log, environment and events."""

    def measurements(self, job_id: int, attempt: int | None = None) -> list[Measurement]:
        """Every row of the sweep's table, in the order of measurement; ``attempt`` defaults to the newest."""
        return [_measurement(item) for item in self._items(f"/jobs/{job_id}/measurements", {"attempt": attempt})]

    def verdict(self, job_id: int, min_bytes: int | None = None, max_bytes: int | None = None) -> RangeVerdict:
        """Return the verdict on the sizes of a benchmark from ``min_bytes`` to ``max_bytes``, both by default open."""
        query = {"min_bytes": min_bytes, "max_bytes": max_bytes}
        return RangeVerdict.read(self._get(f"/jobs/{job_id}/verdict", query))

    def log(
        self,
        job_id: int,
        cursor: str | None = None,
        rank: int | None = None,
        at: str | None = None,
        level: str | None = None,
    ) -> Page[LogLine]:
        """A page of the job's log, oldest line first; only the lines of ``rank`` if it is given.

        Without a cursor it begins with the last line that was printed by ``at`` (ISO 8601, with its zone). With a
        level, warning or error, it has only lines whose words name at least that level.
        """
        page = self._page(f"/jobs/{job_id}/log", {"cursor": cursor, "rank": rank, "at": at, "level": level})
        return Page([LogLine.read(item) for item in page.items], page.next)

    def log_outline(
        self, job_id: int, rank: int | None = None, text: str | None = None, at: str | None = None
    ) -> LogOutline:
        """Return the length of the log and where its pages begin; optionally only lines of one rank, or with all words
        of a text.
        """
        return LogOutline.read(self._get(f"/jobs/{job_id}/log/outline", {"rank": rank, "q": text, "at": at}))

    def export_log(self, job_id: int, rank: int | None = None, text: str | None = None) -> Iterator[str]:
        """The log as text, piece by piece."""
        return self._text(f"/jobs/{job_id}/log/export", {"rank": rank, "q": text})

    def steps(self, job_id: int, rank: int | None = None, attempt: int | None = None) -> Iterator[Step]:
        """Yield steps in the order in which they were stored; pages are read on demand."""
        query = {"rank": rank, "attempt": attempt}
        return map(Step.read, self._items(f"/jobs/{job_id}/steps", query))

    def newest_steps(self, job_id: int) -> NewestSteps:
        """Return the newest step of each rank of a running job, or the last step of each rank that has ended."""
        return NewestSteps.read(self._get(f"/jobs/{job_id}/steps/newest"))

    def export_steps(
        self,
        job_id: int,
        format: str,
        rank: int | None = None,
        algorithm: str | None = None,
        attempt: int | None = None,
    ) -> Iterator[str]:
        """Every step as text, piece by piece: csv, ndjson or openmetrics."""
        query = {"format": format, "rank": rank, "algorithm": algorithm, "attempt": attempt}
        return self._text(f"/jobs/{job_id}/steps/export", query)

    def arrivals(self, job_id: int, attempt: int | None = None) -> Iterator[Arrival]:
        """Yield the last rank to reach each step; pages are read on demand."""
        return map(Arrival.read, self._items(f"/jobs/{job_id}/arrivals", {"attempt": attempt}))

    def latencies(
        self, job_id: int, algorithm: str, size_bytes: int, in_place: bool = False, attempt: int | None = None
    ) -> LatencyCurve:
        """Return the latency distribution of one row: the time against the share of its iterations."""
        query = {"algorithm": algorithm, "size_bytes": size_bytes, "in_place": in_place, "attempt": attempt}
        return LatencyCurve.read(self._get(f"/jobs/{job_id}/latencies", query))

    def lateness(
        self,
        job_id: int,
        algorithm: str | None = None,
        size_bytes: int | None = None,
        in_place: bool | None = None,
        columns: int = 120,
        attempt: int | None = None,
    ) -> Lateness:
        """Return how late each rank came to the steps, of one row or of all rows, in at most ``columns`` columns."""
        query = {"algorithm": algorithm, "size_bytes": size_bytes, "in_place": in_place, "columns": columns}
        return Lateness.read(self._get(f"/jobs/{job_id}/lateness", query | {"attempt": attempt}))

    def first_step(self, job_id: int, rank: int) -> Step | None:
        """The first step that this rank finished, if it has finished one."""
        page = self._page(f"/jobs/{job_id}/steps", {"rank": rank, "limit": 1})
        return Step.read(page.items[0]) if page.items else None

    def report(self, job_id: int) -> Iterator[str]:
        """Yield the lines of the job's report, an HTML file."""
        return self._text(f"/jobs/{job_id}/report", {})

    def environments(self, job_id: int) -> list[AttemptEnvironment]:
        """Return the environment of each attempt, oldest first."""
        return [AttemptEnvironment.read(item) for item in self._page(f"/jobs/{job_id}/environment").items]

    def job_events(self, job_id: int) -> Iterator[Event]:
        """Yield the events of the job, oldest first."""
        return map(Event.read, self._items(f"/jobs/{job_id}/events"))


def _measurement(row: dict[str, Any]) -> Measurement:
    known = {name: row[name] for name in SweepRow.model_fields if name in row}
    measured_at = datetime.fromisoformat(row["measured_at"])
    return Measurement.model_validate(known | {"time_ns": int(measured_at.timestamp() * 1e9)})
