"""/metrics of the agent: its page over HTTP, made at the moment of the scrape."""

from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, disable_created_metrics, start_http_server
from prometheus_client.registry import Collector


class MetricsServer:
    """Serves the page in a thread of its own (OpenMetrics too, when asked)."""

    def __init__(self, exporter: Collector, address: str, port: int) -> None:
        """Raises OSError when the address cannot be listened on."""
        disable_created_metrics()  # type: ignore[no-untyped-call]
        registry = CollectorRegistry()
        registry.register(exporter)
        self._server: WSGIServer
        self._server, self._thread = start_http_server(port, addr=address, registry=registry)
        self.port: int = self._server.server_port

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
