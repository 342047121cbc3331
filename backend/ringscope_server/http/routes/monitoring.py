"""/metrics, discovery for Prometheus, and health."""

from fastapi import APIRouter, Request, Response
from prometheus_client.exposition import choose_encoder
from pydantic import BaseModel
from sqlalchemy import text

from ringscope_server.http.auth import Viewer
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.problems import Problem, unavailable
from ringscope_server.monitoring.collector import registry
from ringscope_server.monitoring.insights import InsightCollector

discovery = APIRouter(tags=["monitoring"])
pages = APIRouter(tags=["monitoring"], include_in_schema=False)

REFRESH_SECONDS = 5


class TargetGroup(BaseModel):
    """One entry of Prometheus' http_sd format."""

    targets: list[str]
    labels: dict[str, str]


class Graphs(BaseModel):
    """Addresses without a trailing slash."""

    prometheus_url: str | None
    grafana_url: str | None


@discovery.get("/prometheus/targets", operation_id="list_prometheus_targets")
async def list_prometheus_targets(user: Viewer, services: ServicesDep, response: Response) -> list[TargetGroup]:
    """List the agents to scrape, for http_sd. Lost nodes stay listed, so that ``up`` becomes 0 and does not vanish."""
    if not services.monitoring.is_ready:
        # Prometheus keeps its last list on an error; an empty list would make it drop every target.
        raise Problem(503, "not_ready", "The list of nodes is not read yet; try again.")
    cluster = services.settings.cluster
    response.headers["X-Prometheus-Refresh-Interval-Seconds"] = str(REFRESH_SECONDS)
    return [
        TargetGroup(targets=[node.metrics_address], labels={"node": node.name, "cluster": cluster})
        for node in services.monitoring.nodes
    ]


@discovery.get("/graphs", operation_id="get_graphs")
async def get_graphs(user: Viewer, services: ServicesDep) -> Graphs:
    """Return the addresses of this cluster's graphs; null for what is not configured."""
    settings = services.settings
    return Graphs(prometheus_url=settings.prometheus_url or None, grafana_url=settings.grafana_url or None)


@pages.api_route("/metrics", methods=["GET", "HEAD"])
async def metrics(user: Viewer, request: Request, services: ServicesDep) -> Response:
    """Return the server's own metrics, as Prometheus text or OpenMetrics."""
    own = registry(services.monitoring, services.stream)
    own.register(InsightCollector(services.insights))
    encode, media_type = choose_encoder(request.headers.get("accept", ""))
    return Response(encode(own), media_type=media_type)


@pages.api_route("/healthz", methods=["GET", "HEAD"])
async def healthz() -> dict[str, str]:
    """Check that the process answers."""
    return {"status": "ok"}


@pages.api_route("/readyz", methods=["GET", "HEAD"])
async def readyz(services: ServicesDep) -> dict[str, str]:
    """Check that the database answers and can be written, and that the server's background tasks run in time."""
    fault = await services.database.fault()
    if fault is not None:
        raise unavailable(fault)
    async with services.database.read() as session:
        await session.execute(text("SELECT 1"))
    if not services.monitoring.is_ready:
        raise Problem(503, "not_ready", "The scheduler has not made a pass yet; try again.")
    if (late := services.background_tasks.late()) is not None:
        raise Problem(503, "late", late.sentence, headers={"Retry-After": str(REFRESH_SECONDS)})
    return {"status": "ready"}
