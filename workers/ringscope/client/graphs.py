"""Read the addresses of Prometheus and Grafana."""

from ringscope.client.connection import Connection
from ringscope.client.views.graphs import Graphs


class GraphRoutes(Connection):
    """/graphs."""

    def graphs(self) -> Graphs:
        """Return the addresses of this cluster's graphs."""
        return Graphs.read(self._get("/graphs"))
