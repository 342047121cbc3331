"""Scrape targets for Prometheus."""

from ringscope.client.connection import Connection
from ringscope.client.view import View


class TargetGroup(View):
    """One node's agent, in the format of Prometheus' http_sd and file_sd."""

    targets: list[str]
    labels: dict[str, str]


class MonitoringRoutes(Connection):
    """/prometheus/targets."""

    def targets(self) -> list[TargetGroup]:
        """Every node's agent, also of lost nodes."""
        groups = self._send("GET", "/prometheus/targets", is_repeatable=True).json()
        return [TargetGroup.read(group) for group in groups]
