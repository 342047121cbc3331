"""The dashboards' structure, and that each asks for metrics and labels that exist, in PromQL that parses."""

import json
import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
import yaml
from deploy.grafana.source.files import texts
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models import dashboard as grafana
from tests.monitoring import promql
from tests.monitoring.dashboards import BUILT_IN, FOLDER, Dashboard, Query, filled_in, read_dashboards, variables_of
from tests.monitoring.metric_table import metric_labels
from tests.monitoring.rules import read_rules

DASHBOARDS = read_dashboards()
QUERIES = [query for dashboard in DASHBOARDS.values() for query in dashboard.queries()]
NAMES = {f"ringscope-{name}" for name in ("fleet", "job", "benchmarks", "stragglers", "service")}
VARIABLES = ["datasource", "cluster", "node", "kind", "job_id", "rank", "op", "ringscope"]
UNITS = {"short", "s", "Bps", "decbytes", "cps", "percentunit"}
KINDS = {"stat", "timeseries", "table", "heatmap", "state-timeline", "bargauge", "alertlist"}
VALUES = dict.fromkeys(VARIABLES, ".*") | {"__rate_interval": "4s", "__range": "15m"}
LABELS = metric_labels()

each = pytest.mark.parametrize("dashboard", DASHBOARDS.values(), ids=DASHBOARDS.keys())


def test_there_are_five_dashboards_with_names_of_their_own() -> None:
    assert DASHBOARDS.keys() == NAMES
    assert all(name == dashboard.body["uid"] for name, dashboard in DASHBOARDS.items())
    titles = [dashboard.body["title"] for dashboard in DASHBOARDS.values()]
    assert len(set(titles)) == len(titles)


def test_the_files_are_those_that_the_source_gives() -> None:
    """Else: python -m deploy.grafana.source"""
    files = {path.name: path.read_text() for path in (FOLDER / "dashboards").iterdir()}
    assert files == texts()


@each
def test_a_panel_says_what_it_shows(dashboard: Dashboard) -> None:
    ids = [panel["id"] for panel in dashboard.panels]
    assert len(set(ids)) == len(ids)
    titles = [panel["title"] for panel in dashboard.panels]
    assert len(set(titles)) == len(titles) and all(titles)
    for panel in dashboard.panels:
        assert panel["description"].endswith("."), panel["title"]
        assert panel["type"] in KINDS
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS, panel["title"]
        assert panel["targets"]
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
        assert all(target["legendFormat"] for target in panel["targets"])


@each
def test_grafanas_own_types_know_every_field(dashboard: Dashboard) -> None:
    """Read by Grafana's foundation SDK and written again: a misspelt option would be lost."""
    register_default_plugins()
    again = json.loads(JSONEncoder().encode(grafana.Dashboard.from_json(dashboard.body)))
    # Of the Prometheus data source, or of the page that edits variables; the types leave these open.
    untyped = {"step", "titleFormat", "textFormat", "useValueForTime", "definition"}
    assert set(lost(dashboard.body, again)) <= untyped


def lost(one: Any, other: Any, name: str = "") -> Iterator[str]:
    """Names of fields in ``one`` that are missing or different in ``other``."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key, value in one.items():
            yield from lost(value, other[key], key) if key in other else [key]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for left, right in zip(one, other, strict=True):
            yield from lost(left, right, name)
    elif one != other:
        yield name


def test_a_misspelt_option_would_be_lost() -> None:
    body = json.loads(json.dumps(DASHBOARDS["ringscope-fleet"].body))
    body["panels"][0]["options"]["colourMode"] = "value"
    again = json.loads(JSONEncoder().encode(grafana.Dashboard.from_json(body)))
    assert "colourMode" in set(lost(body, again))


@each
def test_panels_lie_side_by_side_within_the_grid(dashboard: Dashboard) -> None:
    cells = []
    for panel in dashboard.panels:
        place = panel["gridPos"]
        assert place["x"] >= 0 and place["x"] + place["w"] <= 24
        cells.append({(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])})
    assert not any(one & other for one, other in combinations(cells, 2))


@each
def test_every_query_goes_to_the_chosen_data_source(dashboard: Dashboard) -> None:
    chosen = {"type": "prometheus", "uid": "${datasource}"}
    asked = [panel["datasource"] for panel in dashboard.panels]
    asked += [target["datasource"] for panel in dashboard.panels for target in panel["targets"]]
    asked += [note["datasource"] for note in dashboard.annotations]
    asked += [variable["datasource"] for variable in dashboard.variables.values() if variable["type"] == "query"]
    assert all(source == chosen for source in asked)
    assert dashboard.variables["datasource"]["query"] == "prometheus"
    assert "__inputs" not in dashboard.body, "which only a person's import resolves"
    assert dashboard.body["editable"] is False


@each
def test_variables_are_the_same_everywhere_and_the_unused_are_hidden(dashboard: Dashboard) -> None:
    assert list(dashboard.variables) == VARIABLES
    used = variables_of(json.dumps(dashboard.panels))
    assert used <= set(VARIABLES) | BUILT_IN
    for name, variable in dashboard.variables.items():
        is_shown = variable["hide"] == 0
        assert is_shown == (name in used | {"datasource", "cluster", "ringscope"}), name
        if variable["type"] == "query":
            assert variable["refresh"] == 2, "with the time range, so that ended jobs appear"


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_counters_are_rated_over_the_interval_that_grafana_chooses(query: Query) -> None:
    tree = promql.parse(filled_in(query.expr, VALUES))
    counters = [one.name for one in promql.selectors(tree) if re.search(r"_(total|bucket|count|sum)$", one.name)]
    rated = list(promql.ranges(tree, ("rate", "irate", "increase")))
    assert sorted(counters) == sorted(rated)
    assert re.findall(r"(?:rate|increase)\([^()]*?\[([^\]]+)\]\)", query.expr) == ["$__rate_interval"] * len(rated)


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_a_dashboard_asks_for_what_exists(query: Query) -> None:
    check_names(filled_in(query.expr, VALUES), query.legend)


@pytest.mark.parametrize("rule", read_rules(), ids=lambda rule: rule.get("alert") or rule["record"])
def test_a_rule_asks_for_what_exists(rule: dict[str, str]) -> None:
    check_names(rule["expr"])


@each
def test_variables_ask_for_what_exists(dashboard: Dashboard) -> None:
    for variable in dashboard.variables.values():
        if variable["type"] == "query":
            found = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"]["query"])
            assert found is not None
            check_names(filled_in(found[1], VALUES), f"{{{{{found[2]}}}}}")


def check_names(expression: str, legend: str = "") -> None:
    """Metrics and labels are in the table; labels that are grouped by are on the metrics below; so are the legend's."""
    tree = promql.parse(expression)
    for one in promql.selectors(tree):
        assert one.name in LABELS, one.name
        assert {matcher.name for matcher in one.matchers.matchers} <= LABELS[one.name], one.name
    for node, labels in promql.groupings(tree):
        below: set[str] = set().union(*(LABELS[one.name] for one in promql.selectors(node)))
        assert labels <= below, f"{labels - below} in {expression}"
    everything: set[str] = set().union(*(LABELS[one.name] for one in promql.selectors(tree)))
    assert set(re.findall(r"{{(\w+)}}", legend)) <= everything


@each
def test_columns_of_tables_are_labels_or_values(dashboard: Dashboard) -> None:
    for panel in dashboard.panels:
        if panel["type"] == "table":
            (shown,) = (part["options"] for part in panel["transformations"] if part["id"] == "filterFieldsByName")
            names = {one.name for target in panel["targets"] for one in tree_of(target["expr"])}
            known: set[str] = set().union(*(LABELS[name] for name in names))
            values = {"Value"} if len(panel["targets"]) == 1 else {f"Value #{one['refId']}" for one in panel["targets"]}
            assert set(shown["include"]["names"]) <= known | values, panel["title"]
            headings = {override["matcher"]["options"] for override in panel["fieldConfig"]["overrides"]}
            (order,) = (part["options"] for part in panel["transformations"] if part["id"] == "organize")
            assert headings <= set(order["renameByName"].values()), panel["title"]


def tree_of(expr: str) -> list[Any]:
    return list(promql.selectors(promql.parse(filled_in(expr, VALUES))))


def test_a_misspelt_name_or_label_would_be_noticed() -> None:
    for wrong in ("sum(ringscope_node_upp)", 'ringscope_node_up{nodes="a"}', "sum by (rank) (ringscope_node_up)"):
        with pytest.raises(AssertionError):
            check_names(wrong)
    with pytest.raises(ValueError, match="parenthesis"):
        check_names("sum(rate(ringscope_node_up[4s])")


def test_the_provisioned_folder_and_data_source_are_those_of_compose() -> None:
    (provider,) = yaml.safe_load((FOLDER / "provisioning/dashboards/ringscope.yml").read_text())["providers"]
    (source,) = yaml.safe_load((FOLDER / "provisioning/datasources/prometheus.yml").read_text())["datasources"]
    grafana = yaml.safe_load((FOLDER.parents[1] / "docker-compose.yml").read_text())["services"]["grafana"]
    mounted = dict(volume.split(":")[:2] for volume in grafana["volumes"])
    assert mounted["./deploy/grafana/dashboards"] == provider["options"]["path"]
    assert provider["allowUiUpdates"] is False
    assert source["url"].removeprefix("$") in grafana["environment"]
    prometheus = yaml.safe_load((FOLDER.parent / "prometheus" / "prometheus.yml").read_text())
    assert source["jsonData"]["timeInterval"] == prometheus["global"]["scrape_interval"]
    assert source["uid"] == "ringscope-prometheus"
