"""Every name that rules and dashboards may ask for, with its labels: a misspelt one is valid PromQL and gives nothing.

``OURS`` is the one place that knows the product's own metrics.
"""

from tests.monitoring.rules import read_records

from ringscope.contracts.metrics.agent import AGENT
from ringscope.contracts.metrics.collector import COLLECTOR
from ringscope.contracts.metrics.insights import INSIGHTS
from ringscope.contracts.metrics.server import SERVER

OURS = tuple(family for table in (AGENT, SERVER, INSIGHTS, COLLECTOR) for family in table.families)
FOREIGN = {
    **dict.fromkeys(
        ("up", "scrape_duration_seconds", "scrape_samples_scraped", "scrape_series_added"), frozenset[str]()
    ),
    "ALERTS": frozenset({"alertname", "alertstate", "severity", "job_id", "rank", "kind", "op"}),
    "prometheus_sd_http_failures_total": frozenset[str](),
    "prometheus_target_scrapes_exceeded_sample_limit_total": frozenset[str](),
    **dict.fromkeys(
        (
            "DCGM_FI_DEV_XID_ERRORS",
            "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
            "DCGM_FI_DEV_ROW_REMAP_FAILURE",
            "DCGM_FI_DEV_THERMAL_VIOLATION",
        ),
        frozenset({"gpu", "UUID"}),
    ),
}
# Of the target, from discovery and the configuration.
TARGET_LABELS = frozenset({"job", "instance", "cluster", "node"})


def metric_labels() -> dict[str, frozenset[str]]:
    """The labels of every series by its name; recorded ones have those that their expression leaves."""
    table = dict(FOREIGN)
    for family in OURS:
        own = frozenset(family.labels)
        if family.kind == "histogram":
            table |= {f"{family.name}_count": own, f"{family.name}_sum": own, f"{family.name}_bucket": own | {"le"}}
        else:
            table[family.name] = own
    return {name: labels | TARGET_LABELS for name, labels in table.items()} | _recorded()


def _recorded() -> dict[str, frozenset[str]]:
    # level:metric:operation; the levels are labels that begin the name
    levels = {"job_id_op": {"job_id", "op"}, "job_id_rank": {"job_id", "rank", "node"}, "job_id": {"job_id", "op"}}
    levels |= {"kind": {"kind"}, "job_id_op_message_bytes": {"job_id", "op", "message_bytes"}}
    return {name: frozenset({"cluster", *levels[name.partition(":")[0]]}) for name in read_records()}
