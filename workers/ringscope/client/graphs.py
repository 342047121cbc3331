"""Where Prometheus and Grafana are."""

from ringscope.client.connection import Connection
from ringscope.client.view import View


class Graphs(View):
    """Their addresses, as far as the server was told."""

    prometheus_url: str | None = None
    grafana_url: str | None = None


class GraphRoutes(Connection):
    """/graphs."""

    def graphs(self) -> Graphs:
        """Where this cluster's graphs are."""
        return Graphs.read(self._get("/graphs"))
