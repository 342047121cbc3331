"""Read the addresses of Prometheus and Grafana."""

from ringscope.client.connection import Connection
from ringscope.client.view import View


class Graphs(View):
    """Addresses of Prometheus and Grafana, if the server has them."""

    prometheus_url: str | None = None
    grafana_url: str | None = None


class GraphRoutes(Connection):
    """/graphs."""

    def graphs(self) -> Graphs:
        """Return the addresses of this cluster's graphs."""
        return Graphs.read(self._get("/graphs"))
