"""Metrics of the server's insights: problems that it found in running jobs."""

from ringscope.contracts.metrics.family import Table

INSIGHTS = Table()

INSIGHTS_ACTIVE = INSIGHTS.gauge("insights", "Active insights by kind.", "kind")
JOB_INSIGHT = INSIGHTS.gauge(
    "job_insight", "1 while the insight is active; rank and node are empty if it concerns neither.",
    "job_id", "kind", "rank", "node", unit="always 1",
    alerts=(
        "RingscopeInsightHang", "RingscopeInsightDesync", "RingscopeInsightWrongResult", "RingscopeInsightStraggler",
        "RingscopeInsightSlowLink", "RingscopeInsightLowBandwidth", "RingscopeInsightLateRank",
        "RingscopeInsightDiverged", "RingscopeInsightMemoryGrowth",
    ),
)  # fmt: skip
