"""All nodes and jobs at a glance."""

from typing import Any

from deploy.grafana.source.boards import board
from deploy.grafana.source.panels import (
    BANDWIDTH,
    COUNT,
    RATIO,
    SECONDS,
    Panel,
    graph,
    job_page,
    now,
    query,
    stacked,
    stat,
    table,
)
from deploy.grafana.source.variables import CLUSTER, JOB, NODE

BUSBW = f"job_id_op:ringscope_bus_bandwidth_bytes_per_second:rate1m{{{JOB}}}"
EXPECTED = f"max by (cluster, job_id, op) (ringscope_job_expected_bus_bandwidth_bytes_per_second{{{JOB}}})"
SLOWEST = f"topk by (cluster, job_id) (1, job_id_rank:ringscope_own_seconds:ratio_to_median1m{{{JOB}}})"
FIRING = f'ALERTS{{{CLUSTER},alertstate="firing",alertname=~"Ringscope.*"}}'
GOOD_BELOW_ONE = [("green", None), ("red", 1)]


def dashboard() -> dict[str, Any]:
    """Ringscope fleet."""
    description = "Nodes, queue, running jobs and what is wrong, of one or several clusters."
    return board("fleet", "fleet", description, [_numbers(), _alerts(), _jobs(), _states(), _queue()])


def _numbers() -> list[Panel]:
    gpus = f"ringscope_gpus{{{CLUSTER}"
    nodes = f"ringscope_nodes{{{CLUSTER}"
    health = (
        f'sum({gpus},state=~"free|allocated"}}) / (sum({gpus}}}) > 0)'
        f' or sum({nodes},state=~"ready|busy"}}) / (sum({nodes}}}) > 0)'
    )
    jobs = f'ringscope_jobs{{{CLUSTER},kind=~"$kind"'
    waited = f"(time() - min(ringscope_queue_oldest_submit_timestamp_seconds{{{CLUSTER}}})) or vector(0)"
    failed = f'sum(kind:ringscope_jobs_failed:increase1h{{{CLUSTER},kind=~"$kind"}}) or vector(0)'
    return [
        stat(
            "Health",
            "GPUs that work, of all; without GPUs: nodes that can take work, of all.",
            RATIO,
            query(health, "ready"),
            steps=[("red", None), ("orange", 0.9), ("green", 1)],
        ),
        stat("Running", "Jobs whose ranks run.", COUNT, query(f'sum({jobs},state="running"}})', "running")),
        stat("Queued", "Jobs that wait for slots.", COUNT, query(f'sum({jobs},state="queued"}})', "queued")),
        stat("Oldest wait", "How long the oldest queued job has waited.", SECONDS, query(waited, "waited")),
        stat(
            "Failures",
            "Jobs that failed in the last hour; cancelled ones do not count.",
            COUNT,
            query(failed, "failed"),
            steps=GOOD_BELOW_ONE,
        ),
        stat(
            "Alerts",
            "Alerts of Ringscope that fire.",
            COUNT,
            query(f"count({FIRING}) or vector(0)", "firing"),
            steps=GOOD_BELOW_ONE,
        ),
    ]


def _alerts() -> list[Panel]:
    firing = {"alertname": "Alert", "severity": "Severity", "job_id": "Job", "node": "Node", "rank": "Rank"}
    insights = {"kind": "Kind", "job_id": "Job", "node": "Node", "rank": "Rank"}
    found = f"max by (cluster, job_id, kind, node, rank) (ringscope_job_insight{{{JOB}}})"
    return [
        job_page(
            table(
                "Firing alerts", "Alerts that fire now, with what they are about.", COUNT, now(FIRING), columns=firing
            ),
            in_table=True,
        ),
        job_page(
            table(
                "Insights",
                "What the server found in the rows of running jobs; evidence is on the job's page.",
                COUNT,
                now(found),
                columns=insights,
            ),
            in_table=True,
        ),
    ]


def _jobs() -> list[Panel]:
    return [
        job_page(
            table(
                "Bus bandwidth of running jobs",
                "Over the last minute, beside the median of earlier good runs of the same shape.",
                BANDWIDTH,
                now(BUSBW),
                now(EXPECTED),
                now(f"{BUSBW} / on (cluster, job_id, op) {EXPECTED}"),
                columns={
                    "job_id": "Job",
                    "op": "Collective",
                    "Value #A": "Now",
                    "Value #B": "Expected",
                    "Value #C": "Of expected",
                },
                units={"Of expected": RATIO},
                gauges={"Of expected": 1.2},
            ),
            in_table=True,
        ),
        job_page(
            table(
                "Slowest rank of each job",
                "Its mean time outside of collectives over the last minute, in times of the median rank.",
                COUNT,
                now(SLOWEST),
                columns={"job_id": "Job", "rank": "Rank", "node": "Node", "Value": "Times the median"},
                gauges={"Times the median": 2},
                sort="Times the median",
            ),
            in_table=True,
        ),
    ]


def _states() -> list[Panel]:
    nodes, gpus = (f"sum by (state) (ringscope_{what}{{{CLUSTER}}})" for what in ("nodes", "gpus"))
    up = f"ringscope_node_up{{{NODE}}}"
    return [
        stacked("Nodes", "Nodes by state, as the server sees them.", COUNT, query(nodes, "{{state}}"), width=8),
        stacked("GPUs", "GPUs by state.", COUNT, query(gpus, "{{state}}"), width=8),
        graph("Heartbeats", "1 while heartbeats of the node arrive.", COUNT, query(up, "{{node}}"), width=8),
    ]


def _queue() -> list[Panel]:
    jobs = f'sum by (state) (ringscope_jobs{{{CLUSTER},kind=~"$kind"}})'
    ended = (
        f'sum by (outcome) (rate(ringscope_jobs_finished_total{{{CLUSTER},kind=~"$kind"}}[$__rate_interval])) * 3600'
    )
    waits = (
        f'sum by (le, kind) (rate(ringscope_queue_wait_seconds_bucket{{{CLUSTER},kind=~"$kind"}}[$__rate_interval]))'
    )
    return [
        stacked("Jobs", "Jobs that are not over, by state.", COUNT, query(jobs, "{{state}}"), width=8),
        graph("Ended", "Jobs that end, per hour at the present rate.", COUNT, query(ended, "{{outcome}}"), width=8),
        graph(
            "Wait in the queue",
            "From submission to start: what nine of ten jobs wait at most, as far as the buckets tell.",
            SECONDS,
            query(f"histogram_quantile(0.9, {waits})", "{{kind}}"),
            width=8,
        ),
    ]
