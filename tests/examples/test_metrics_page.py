"""docs/metrics.md says what the code exports and which alerts stand on it."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from ringscope.contracts.metrics.agent import AGENT
from ringscope.contracts.metrics.collector import COLLECTOR
from ringscope.contracts.metrics.family import Table
from ringscope.contracts.metrics.insights import INSIGHTS
from ringscope.contracts.metrics.server import JOB_INFO, SERVER

ROOT = Path(__file__).parents[2]
RULES = ROOT / "deploy" / "prometheus" / "rules"
FAMILIES = [family for table in (AGENT, SERVER, INSIGHTS, COLLECTOR) for family in table.families]


@pytest.fixture(scope="module")
def page() -> Iterator[ModuleType]:
    """The script that fills the page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "scripts"))
        import metrics_page

        yield metrics_page


def test_the_page_is_up_to_date(page: Any) -> None:
    text = page.PAGE.read_text()
    assert page.filled(text) == text, "run `python scripts/metrics_page.py`"
    for family in FAMILIES:
        assert f"| `{family.name}` |" in text


def test_a_page_that_differs_is_noticed(page: Any) -> None:
    text = page.PAGE.read_text()
    assert page.filled(text.replace("Steps (benchmark", "Stops (benchmark")) == text


def test_every_metric_is_well_named_and_explained() -> None:
    assert len({family.name for family in FAMILIES}) == len(FAMILIES)
    for family in FAMILIES:
        assert family.name.startswith("ringscope_")
        assert family.name.endswith("_total") == (family.kind == "counter")
        assert family.help.endswith(".") and "|" not in family.help
        assert not {"job", "instance", "node_name"} & set(family.labels), "the scrape would rename it"
        assert list(family.buckets) == sorted(family.buckets) and bool(family.buckets) == (family.kind == "histogram")
        if "job_id" in family.labels and family is not JOB_INFO:  # which has one series for each job
            assert "name" not in family.labels
            # A job has 32 sizes at most in these, and no sizes in any other.
            assert ("message_bytes" in family.labels) == family.name.startswith("ringscope_collective_size_")


def test_a_name_is_given_once() -> None:
    table = Table()
    table.gauge("jobs", "Jobs.")
    with pytest.raises(ValueError, match="ringscope_jobs"):
        table.gauge("jobs", "Jobs.")


@pytest.mark.skipif(not RULES.is_dir(), reason="there are no rules")
def test_the_alerts_of_a_metric_are_those_whose_rules_ask_for_it() -> None:
    rules = [rule for path in sorted(RULES.glob("*.yml")) for rule in _rules(path)]
    records = {rule["record"]: rule["expr"] for rule in rules if "record" in rule}
    asking = defaultdict(set)
    for rule in rules:
        for name in _metrics(rule["expr"], records) if "alert" in rule else ():
            asking[name].add(rule["alert"])
    assert asking.keys() <= {family.name for family in FAMILIES}
    assert {family.name: set(family.alerts) for family in FAMILIES if family.alerts} == asking


def _rules(path: Path) -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(path.read_text())["groups"] for rule in group["rules"]]


def _metrics(expression: str, records: dict[str, str]) -> set[str]:
    """Our metrics in an expression, also behind what other rules record."""
    words = set(re.findall(r"[a-zA-Z_:][\w:]*", expression))
    behind = [_metrics(records[word], {**records, word: ""}) for word in words & records.keys()]
    ours = {word for word in words if word.startswith("ringscope_")}
    histograms = {family.name for family in FAMILIES if family.kind == "histogram"}
    stems = {word: re.sub(r"_(bucket|count|sum)$", "", word) for word in ours}
    return {stem if stem in histograms else word for word, stem in stems.items()}.union(*behind)
