"""Schedules: jobs that are submitted again and again."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ringscope.client.connection import Connection
from ringscope.client.jobs import Job
from ringscope.client.views import schedules as views
from ringscope.contracts.words.devices import SIMULATED


class Schedule(views.Schedule):
    """A job and the times at which it is submitted."""

    @property
    def is_simulated(self) -> bool:
        """Return whether its jobs take their times from the cost model instead of measuring."""
        return (self.spec.get("benchmark") or {}).get("transport") == SIMULATED

    def body(self) -> dict[str, Any]:
        """Return the request body of a PUT."""
        body = self.model_dump(mode="json", include={"name", "cron", "timezone", "overlap", "is_enabled", "spec"})
        return body | ({} if self.drain_on_blame is None else {"drain_on_blame": self.drain_on_blame})


class ScheduleRoutes(Connection):
    """/schedules."""

    def schedules(self) -> list[Schedule]:
        """All schedules."""
        return [Schedule.read(item) for item in self._items("/schedules")]

    def schedule(self, schedule_id: int) -> Schedule:
        """One schedule."""
        return Schedule.read(self._get(f"/schedules/{schedule_id}"))

    def add_schedule(self, body: Mapping[str, Any]) -> Schedule:
        """Make a schedule of name, cron, timezone, overlap, is_enabled and spec."""
        return Schedule.read(self._create("/schedules", body))

    def replace_schedule(self, schedule_id: int, body: Mapping[str, Any], revision: int | None = None) -> Schedule:
        """Change a schedule; with a revision only if it still has it."""
        return Schedule.read(self._change("PUT", f"/schedules/{schedule_id}", body, revision))

    def remove_schedule(self, schedule_id: int) -> None:
        """End a schedule; its jobs stay."""
        self._remove(f"/schedules/{schedule_id}")

    def run_schedule(self, schedule_id: int) -> Job:
        """Submit its job now, in addition to the planned times."""
        return Job.read(self._create(f"/schedules/{schedule_id}/run"))

    def upcoming(self, schedule_id: int, count: int = 5) -> list[datetime]:
        """The next times."""
        return self._times(f"/schedules/{schedule_id}/upcoming", {"count": count})

    def cron_times(self, cron: str, timezone: str | None = None, count: int = 5) -> list[datetime]:
        """The next times of a cron expression, for which no schedule is needed; the default time zone is UTC."""
        return self._times("/schedules/times", {"cron": cron, "timezone": timezone, "count": count})

    def _times(self, path: str, query: Mapping[str, Any]) -> list[datetime]:
        return [datetime.fromisoformat(str(item)) for item in self._page(path, query).items]
