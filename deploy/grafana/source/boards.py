"""A dashboard of rows of panels, with what all of them share."""

import json
import re
from typing import Any

from deploy.grafana.source.panels import Panel
from deploy.grafana.source.variables import CLUSTER, SOURCE, variables

SCHEMA = 39  # Grafana 10.2; newer ones migrate it at load
COLUMNS = 24


def board(name: str, title: str, description: str, rows: list[list[Panel]], *, one_job: bool = False) -> dict[str, Any]:
    """``rows`` are laid below each other, the panels of one side by side."""
    panels = _placed(rows)
    used = set(re.findall(r"\$\{?(\w+)", json.dumps(panels)))
    return {
        "uid": f"ringscope-{name}",
        "title": f"Ringscope {title}",
        "description": description,
        "tags": ["ringscope"],
        "schemaVersion": SCHEMA,
        "version": 1,
        "editable": False,
        "refresh": "5s",
        "time": {"from": "now-15m", "to": "now"},
        "timezone": "browser",
        "graphTooltip": 1,
        "annotations": {"list": _annotations()},
        "links": [_link()],
        "templating": {"list": variables(used | {"cluster"}, one_job=one_job)},
        "panels": panels,
    }


def _placed(rows: list[list[Panel]]) -> list[Panel]:
    placed: list[Panel] = []
    y = 0
    for row in rows:
        x = 0
        for panel in row:
            size = panel["gridPos"]
            placed.append({"id": len(placed) + 1, **panel, "gridPos": {"x": x, "y": y, **size}})
            x += size["w"]
        assert x <= COLUMNS, [panel["title"] for panel in row]
        y += max(panel["gridPos"]["h"] for panel in row)
    return placed


def _link() -> dict[str, Any]:
    return {
        "type": "dashboards",
        "title": "Ringscope",
        "tags": ["ringscope"],
        "asDropdown": False,
        "includeVars": True,
        "keepTime": True,
        "targetBlank": False,
    }


def _annotations() -> list[dict[str, Any]]:
    started = f'ringscope_job_start_timestamp_seconds{{{CLUSTER},job_id=~"$job_id"}}'
    firing = f'ALERTS{{{CLUSTER},alertstate="firing",alertname=~"Ringscope.*"}}'
    return [
        # The value is the time, so the mark stands where the job began, whatever the resolution.
        _annotation("Job starts", f"{started} * 1000", "green", "Job {{job_id}} starts", useValueForTime=True),
        _annotation("Job ends", f"{started} offset 15s unless {started}", "blue", "Job {{job_id}} has ended"),
        _annotation("Alerts", firing, "red", "{{alertname}}", textFormat="{{severity}} {{job_id}} {{node}} {{rank}}"),
    ]


def _annotation(name: str, expr: str, color: str, title: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "enable": True,
        "datasource": SOURCE,
        "expr": expr,
        "step": "5s",
        "iconColor": color,
        "titleFormat": title,
        **more,
    }
