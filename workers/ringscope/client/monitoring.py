"""The scrape targets of Prometheus, and the files for Prometheus and Grafana."""

from collections.abc import Iterator
from urllib.parse import quote

from ringscope.client.connection import Connection
from ringscope.client.views.monitoring import MonitoringFile, TargetGroup


class MonitoringRoutes(Connection):
    """/prometheus/targets and /monitoring/files."""

    def targets(self) -> list[TargetGroup]:
        """Every node's agent, also of lost nodes."""
        groups = self._send("GET", "/prometheus/targets", is_repeatable=True).json()
        return [TargetGroup.read(group) for group in groups]

    def monitoring_files(self) -> list[MonitoringFile]:
        """The files that Prometheus and Grafana need."""
        return [MonitoringFile.read(item) for item in self._page("/monitoring/files").items]

    def monitoring_file(self, name: str) -> Iterator[str]:
        """Yield the text of one of these files, in pieces."""
        return self._text(f"/monitoring/files/{quote(name, safe='')}", {})
