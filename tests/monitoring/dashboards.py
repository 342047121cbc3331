"""Grafana's dashboards, read as far as the tests look at them."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "deploy" / "grafana"
# Grafana's own variables: ranges that it chooses, and what a link knows of the value that it is on.
BUILT_IN = {"__rate_interval", "__range", "__field", "__data"}
_VARIABLE = re.compile(r"\$\{?(\w+)[\w.]*\}?")


@dataclass(frozen=True)
class Query:
    """One expression of a dashboard: of a panel, or of an annotation."""

    dashboard: str
    title: str
    expr: str
    legend: str
    is_table: bool = False
    links_job: bool = False

    def __str__(self) -> str:
        return f"{self.dashboard}: {self.title}: {self.expr}"


@dataclass(frozen=True)
class Dashboard:
    """A file of deploy/grafana/dashboards."""

    path: Path
    body: dict[str, Any]

    @property
    def panels(self) -> list[dict[str, Any]]:
        """The panels of all kinds."""
        panels: list[dict[str, Any]] = self.body["panels"]
        return panels

    @property
    def annotations(self) -> list[dict[str, Any]]:
        annotations: list[dict[str, Any]] = self.body["annotations"]["list"]
        return annotations

    @property
    def variables(self) -> dict[str, dict[str, Any]]:
        return {variable["name"]: variable for variable in self.body["templating"]["list"]}

    def queries(self) -> Iterator[Query]:
        """Everything that Prometheus is asked for, but the variables."""
        for panel in self.panels:
            for target in panel["targets"]:
                yield Query(
                    self.path.stem,
                    panel["title"],
                    target["expr"],
                    target["legendFormat"],
                    is_table=target.get("format") == "table",
                    links_job="job_id" in str(panel["fieldConfig"]["defaults"].get("links")),
                )
        for note in self.annotations:
            yield Query(self.path.stem, note["name"], note["expr"], note["titleFormat"])


def read_dashboards() -> dict[str, Dashboard]:
    """Return the dashboards by the name of their file."""
    paths = sorted((FOLDER / "dashboards").glob("*.json"))
    return {path.stem: Dashboard(path, json.loads(path.read_text())) for path in paths}


def variables_of(text: str) -> set[str]:
    """Names of the variables in a text."""
    return set(_VARIABLE.findall(text))


def filled_in(expression: str, values: Mapping[str, str]) -> str:
    """The expression as Grafana sends it."""
    return _VARIABLE.sub(lambda match: values[match[1]], expression)
