"""The files of deploy/prometheus and deploy/grafana: in the wheel, or in the checkout of an editable install."""

import json
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

# What stands in the shipped prometheus.yml for the addresses, the cluster and the file with the token.
_SERVER = "127.0.0.1:8000"
_ITSELF = "127.0.0.1:9090"
_CLUSTER = "{cluster: ringscope}"
TOKEN_FILE = "admin-token"
_SERVER_JOB = "  - job_name: ringscope-server\n"


def prometheus_files() -> Path:
    """Return the folder with prometheus.yml and rules/."""
    return _folder("prometheus")


def dashboard_files() -> Path:
    """Return the folder with Grafana's dashboards."""
    return _folder("grafana/dashboards")


def scrape_configuration(
    server_url: str, prometheus: str = _ITSELF, cluster: str | None = None, token_file: str = TOKEN_FILE
) -> str:
    """Return prometheus.yml for the server at a URL and a Prometheus at an address such as 127.0.0.1:9090."""
    url = urlsplit(server_url)
    own = [f"scheme: {url.scheme}"] if url.scheme == "https" else []
    own += [f"metrics_path: {url.path}/metrics"] if url.path else []
    text = (prometheus_files() / "prometheus.yml").read_text()
    text = text.replace(f"http://{_SERVER}", server_url).replace(f'"{_SERVER}"', json.dumps(url.netloc))
    text = text.replace(_SERVER_JOB, _SERVER_JOB + "".join(f"    {line}\n" for line in own))
    text = text.replace(_ITSELF, prometheus).replace(f"_file: {TOKEN_FILE}", f"_file: {token_file}")
    # JSON is valid YAML, whatever the cluster's name
    return text.replace(_CLUSTER, json.dumps({"cluster": cluster})) if cluster else text


def _folder(name: str) -> Path:
    package = Path(str(files("ringscope")))
    inside = package / name
    return inside if inside.is_dir() else package.parents[1] / "deploy" / name
