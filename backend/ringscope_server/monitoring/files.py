"""The files that Prometheus and Grafana need: the scrape configuration for this server, the rules, the dashboards."""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from ringscope.contracts.shipped_files import dashboard_files, prometheus_files, scrape_configuration

Kind = Literal["configuration", "rules", "dashboard"]
CONFIGURATION = "prometheus.yml"
TOKEN_FILE = "ringscope-token"
_COMMENT = re.compile(r"(?:# .*\n)+")


@dataclass(frozen=True)
class MonitoringFile:
    """A file, and what it is for in a few sentences."""

    name: str
    kind: Kind
    description: str


@cache
def listed() -> tuple[MonitoringFile, ...]:
    """Return the files in the order of their use."""
    configuration = f"Scrapes this server and its agents; it needs a token in the file {TOKEN_FILE} beside it."
    return (
        MonitoringFile(CONFIGURATION, "configuration", configuration),
        *(MonitoringFile(path.name, "rules", _comment(path)) for path in _rules()),
        *(MonitoringFile(path.name, "dashboard", _description(path)) for path in _dashboards()),
    )


def text_of(name: str, server_url: str, cluster: str) -> str | None:
    """Return the text of a file, the configuration for a server at this URL; None if there is no such file."""
    if name == CONFIGURATION:
        return scrape_configuration(server_url, cluster=cluster, token_file=TOKEN_FILE)
    found = next((path for path in (*_rules(), *_dashboards()) if path.name == name), None)
    return None if found is None else found.read_text()


def _rules() -> list[Path]:
    return sorted((prometheus_files() / "rules").glob("*.yml"))


def _dashboards() -> list[Path]:
    return sorted(dashboard_files().glob("*.json"))


def _comment(path: Path) -> str:
    """Return the comment at the beginning of a file of rules."""
    found = _COMMENT.match(path.read_text())
    return " ".join(line.removeprefix("# ") for line in found[0].splitlines()) if found else ""


def _description(path: Path) -> str:
    dashboard = json.loads(path.read_text())
    return f"{dashboard['title']}: {dashboard['description']}"
