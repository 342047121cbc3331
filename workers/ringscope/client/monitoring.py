"""Scrape targets for Prometheus."""

from ringscope.client.connection import Connection
from ringscope.client.views.monitoring import TargetGroup


class MonitoringRoutes(Connection):
    """/prometheus/targets."""

    def targets(self) -> list[TargetGroup]:
        """Every node's agent, also of lost nodes."""
        groups = self._send("GET", "/prometheus/targets", is_repeatable=True).json()
        return [TargetGroup.read(group) for group in groups]
