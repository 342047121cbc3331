"""Panels as the dicts that Grafana reads. Each says what it shows, and in which unit; its place comes later."""

from typing import Any

from deploy.grafana.source.variables import SOURCE

Panel = dict[str, Any]
Query = dict[str, Any]

RATIO, BANDWIDTH, BYTES, SECONDS, COUNT, PER_SECOND = "percentunit", "Bps", "decbytes", "s", "short", "cps"


def query(expr: str, legend: str = "{{job_id}}", *, exemplar: bool = False) -> Query:
    """An expression over the time range."""
    return _query(expr, legendFormat=legend, range=True, exemplar=exemplar)


def now(expr: str, legend: str = "value") -> Query:
    """An expression at the end of the time range, as a row for each series."""
    return _query(expr, legendFormat=legend, instant=True, range=False, format="table")


def graph(title: str, description: str, unit: str, *queries: Query, width: int = 12, **look: Any) -> Panel:
    """Lines over time; ``look`` is Grafana's own drawing of them."""
    drawn = {"fillOpacity": 5, "lineWidth": 1, "showPoints": "never", "spanNulls": False, **look}
    options = {
        "legend": {"displayMode": "table", "placement": "bottom", "calcs": ["mean", "lastNotNull"]},
        "tooltip": {"mode": "multi", "sort": "desc"},
    }
    return _panel("timeseries", title, description, unit, queries, width, 8, options, custom=drawn)


def stacked(title: str, description: str, unit: str, *queries: Query, width: int = 12) -> Panel:
    """Lines that add up."""
    return graph(title, description, unit, *queries, width=width, fillOpacity=60, stacking={"mode": "normal"})


def stat(title: str, description: str, unit: str, *queries: Query, width: int = 4, steps: Any = None) -> Panel:
    """Return a panel with one number; ``steps`` are colours with the value from which each holds."""
    options = {"reduceOptions": {"calcs": ["lastNotNull"]}, "colorMode": "value", "graphMode": "area"}
    return _panel("stat", title, description, unit, queries, width, 4, options, **_thresholds(steps))


def bars(title: str, description: str, unit: str, *queries: Query, width: int = 12, steps: Any = None) -> Panel:
    """A bar for each series."""
    options = {
        "orientation": "horizontal",
        "displayMode": "gradient",
        "reduceOptions": {"calcs": ["lastNotNull"]},
    }
    return _panel("bargauge", title, description, unit, queries, width, 8, options, **_thresholds(steps))


def table(title: str, description: str, unit: str, *queries: Query, width: int = 12, **parts: Any) -> Panel:
    """A row for each series: ``columns`` are labels and values with their headings, in order; the rest is left out.

    ``units`` are of columns that have another one than the table, ``gauges`` columns that are drawn as bars up to a
    limit, ``sort`` the column to begin with (largest first), ``numbers`` labels that are numbers.
    """
    panel = _panel("table", title, description, unit, queries, width, 8, {"cellHeight": "sm", "showHeader": True})
    columns: dict[str, str] = parts["columns"]
    kept = {"id": "filterFieldsByName", "options": {"include": {"names": list(columns)}}}
    order = {name: place for place, name in enumerate(columns)}
    named = {"id": "organize", "options": {"indexByName": order, "renameByName": columns, "excludeByName": {}}}
    converted = [{"targetField": name, "destinationType": "number"} for name in parts.get("numbers", ())]
    numbers = [{"id": "convertFieldType", "options": {"conversions": converted}}] if converted else []
    panel["transformations"] = [{"id": "merge", "options": {}}, kept, *numbers, named]
    panel["fieldConfig"]["overrides"] = [
        *_overrides(parts.get("units", {}), lambda unit: [{"id": "unit", "value": unit}]),
        *_overrides(parts.get("gauges", {}), _gauge),
    ]
    if "sort" in parts:
        panel["options"]["sortBy"] = [{"displayName": parts["sort"], "desc": True}]
    return panel


def heatmap(title: str, description: str, unit: str, *queries: Query, width: int = 24) -> Panel:
    """A row for each series, its value as colour."""
    options = {
        "calculate": False,
        "rowsFrame": {"layout": "auto"},
        "cellValues": {"unit": unit},
        "color": {"mode": "scheme", "scheme": "Oranges", "steps": 64},
        "tooltip": {"mode": "single", "yHistogram": False},
        "yAxis": {"axisPlacement": "left"},
        "legend": {"show": True},
    }
    return _panel("heatmap", title, description, unit, queries, width, 8, options)


def timeline(title: str, description: str, unit: str, *queries: Query, width: int = 24) -> Panel:
    """A band for each series while it has a value."""
    options = {"showValue": "never", "mergeValues": True, "legend": {"showLegend": False}, "rowHeight": 0.8}
    return _panel("state-timeline", title, description, unit, queries, width, 5, options)


def linked(panel: Panel, title: str, url: str) -> Panel:
    """The panel with a link on each of its values."""
    panel["fieldConfig"]["defaults"]["links"] = [{"title": title, "url": url, "targetBlank": True}]
    return panel


def job_page(panel: Panel, *, in_table: bool = False) -> Panel:
    """The panel with a link to the page of the job that a value is about."""
    label = "__data.fields.Job" if in_table else "__field.labels.job_id"
    return linked(panel, "The job's page", f"${{ringscope}}/jobs/${{{label}}}")


def _query(expr: str, **fields: Any) -> Query:
    return {"datasource": SOURCE, "expr": expr, **fields}


def _panel(
    kind: str,
    title: str,
    description: str,
    unit: str,
    queries: tuple[Query, ...],
    width: int,
    height: int,
    options: dict[str, Any],
    **defaults: Any,
) -> Panel:
    return {
        "type": kind,
        "title": title,
        "description": description,
        "datasource": SOURCE,
        "gridPos": {"w": width, "h": height},
        "targets": [{"refId": chr(ord("A") + place), **one} for place, one in enumerate(queries)],
        "fieldConfig": {"defaults": {"unit": unit, **defaults}, "overrides": []},
        "options": options,
    }


def _thresholds(steps: Any) -> dict[str, Any]:
    if steps is None:
        return {}
    return {"thresholds": {"mode": "absolute", "steps": [{"color": color, "value": value} for color, value in steps]}}


def _overrides(by_column: dict[str, Any], properties: Any) -> list[dict[str, Any]]:
    return [
        {"matcher": {"id": "byName", "options": column}, "properties": properties(value)}
        for column, value in by_column.items()
    ]


def _gauge(limit: float) -> list[dict[str, Any]]:
    return [
        {"id": "custom.cellOptions", "value": {"type": "gauge", "mode": "basic"}},
        {"id": "min", "value": 0},
        {"id": "max", "value": limit},
    ]
