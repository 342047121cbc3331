"""/metrics, discovery for Prometheus, the files for Prometheus and Grafana, and health."""

from pathlib import PurePath
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from prometheus_client.exposition import choose_encoder
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import text

from ringscope_server.http.auth import Viewer
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.origin import origin
from ringscope_server.http.problems import Problem, not_found, unavailable
from ringscope_server.monitoring import files
from ringscope_server.monitoring.collector import registry
from ringscope_server.monitoring.insights import InsightCollector

discovery = APIRouter(tags=["monitoring"])
pages = APIRouter(tags=["monitoring"], include_in_schema=False)

REFRESH_SECONDS = 5
MEDIA_TYPES = {".yml": "application/yaml", ".json": "application/json"}


class TargetGroup(BaseModel):
    """One entry of Prometheus' http_sd format."""

    targets: list[str]
    labels: dict[str, str]


class MonitoringFileView(BaseModel):
    """A file for Prometheus or Grafana."""

    model_config = ConfigDict(from_attributes=True)

    name: str
    kind: files.Kind = Field(description="Prometheus' configuration, its rules, or a dashboard of Grafana.")
    description: str


class MonitoringFiles(BaseModel):
    """The files in the order of their use."""

    items: list[MonitoringFileView]


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


@discovery.get("/monitoring/files", operation_id="list_monitoring_files")
async def list_monitoring_files(user: Viewer) -> MonitoringFiles:
    """List the files that Prometheus and Grafana need to show this server's metrics."""
    return MonitoringFiles(items=[MonitoringFileView.model_validate(file) for file in files.listed()])


@discovery.get(
    "/monitoring/files/{name}",
    operation_id="get_monitoring_file",
    response_class=Response,
    responses={200: {"content": {media_type: {} for media_type in MEDIA_TYPES.values()}}},
)
async def get_monitoring_file(
    name: Annotated[str, Path(max_length=100)], user: Viewer, services: ServicesDep, request: Request
) -> Response:
    """Return one of these files; the configuration has the address of this server."""
    text = files.text_of(name, origin(request, services.settings), services.settings.cluster)
    if text is None:
        raise not_found("monitoring file", name)
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=MEDIA_TYPES[PurePath(name).suffix], headers=disposition)


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
