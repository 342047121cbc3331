"""Metrics of the server's insights: problems that it found in running jobs."""

from ringscope.contracts.metrics.family import Table

INSIGHTS = Table()

INSIGHTS_ACTIVE = INSIGHTS.gauge("insights", "Insights that are so now, by kind.", "kind")
JOB_INSIGHT = INSIGHTS.gauge(
    "job_insight", "1 while it is so; rank and node are empty where it is about neither.",
    "job_id", "kind", "rank", "node", unit="always 1",
    alerts=(
        "RingscopeInsightHang", "RingscopeInsightDesync", "RingscopeInsightWrongResult", "RingscopeInsightStraggler",
        "RingscopeInsightSlowLink", "RingscopeInsightLowBandwidth", "RingscopeInsightLateRank",
        "RingscopeInsightDiverged",
    ),
)  # fmt: skip
