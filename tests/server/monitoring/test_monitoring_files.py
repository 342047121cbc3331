"""The files for Prometheus and Grafana."""

import json
from pathlib import Path

import yaml
from tests.server.conftest import Clock, Server, running_server

URL = "/api/v1/monitoring/files"
DEPLOY = Path(__file__).parents[3] / "deploy"


async def test_all_files_of_deploy_are_listed_with_a_description(server: Server) -> None:
    items = (await server.admin.get(URL)).json()["items"]
    by_kind = {kind: {item["name"] for item in items if item["kind"] == kind} for kind in ("rules", "dashboard")}
    assert by_kind["rules"] == {path.name for path in DEPLOY.glob("prometheus/rules/*.yml")}
    assert by_kind["dashboard"] == {path.name for path in DEPLOY.glob("grafana/dashboards/*.json")}
    assert [item["name"] for item in items if not item["description"].endswith(".")] == []
    for item in items:
        answer = await server.admin.get(f"{URL}/{item['name']}")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"] == f'attachment; filename="{item["name"]}"'
        json.loads(answer.text) if item["kind"] == "dashboard" else yaml.safe_load(answer.text)
    missing = await server.admin.get(f"{URL}/..%2Fprometheus.yml")
    assert missing.status_code == 404


async def test_the_configuration_scrapes_this_server_also_behind_a_proxy(tmp_path: Path, clock: Clock) -> None:
    settings = {"public_url": "https://ringscope.example.org/bench", "cluster": "lab"}
    async with running_server(tmp_path, clock, **settings) as server:
        viewer = await server.person("viewer")
        found = yaml.safe_load((await viewer.get(f"{URL}/prometheus.yml")).text)
    own, agents = found["scrape_configs"][:2]
    assert (own["scheme"], own["metrics_path"]) == ("https", "/bench/metrics")
    assert own["static_configs"] == [{"targets": ["ringscope.example.org"], "labels": {"cluster": "lab"}}]
    (discovery,) = agents["http_sd_configs"]
    assert discovery["url"] == "https://ringscope.example.org/bench/api/v1/prometheus/targets"
    assert own["authorization"] == {"credentials_file": "ringscope-token"}
