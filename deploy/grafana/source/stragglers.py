"""The dashboard that shows which rank keeps its peers waiting, and whether its node did so in other jobs too."""

from typing import Any

from deploy.grafana.source.boards import board
from deploy.grafana.source.panels import COUNT, RATIO, SECONDS, Panel, graph, heatmap, job_page, now, query, table
from deploy.grafana.source.variables import JOB, RANK

OWN = f"job_id_rank:ringscope_own_seconds:mean1m{{{RANK}}}"
SLOWNESS = f"job_id_rank:ringscope_own_seconds:ratio_to_median1m{{{RANK}}}"
IN_COLLECTIVES = f"job_id_rank:ringscope_collective_seconds:ratio_to_median1m{{{RANK}}}"
LEGEND = "job {{job_id}} rank {{rank}} on {{node}}"
SLOW = 1.3  # as the alert RingscopeStragglerRank has it


def dashboard() -> dict[str, Any]:
    """Ringscope stragglers."""
    description = "Ranks against the median of their job. Benchmarks have no such time: see late ranks and insights."
    return board("stragglers", "stragglers", description, [_top(), _scores(), [_map()], _late(), [_found()]])


def _top() -> list[Panel]:
    ranks = {"job_id": "Job", "rank": "Rank", "node": "Node", "Value": "Times the median"}
    jobs = f"max by (cluster, node, job_id) (max_over_time({SLOWNESS}[$__range]))"
    return [
        job_page(
            table(
                "Ten slowest ranks",
                "Time outside of collectives in times of the median rank of the same job. 1 is like the others.",
                COUNT,
                now(f"topk(10, {SLOWNESS})"),
                columns=ranks,
                gauges={"Times the median": 2},
                sort="Times the median",
            ),
            in_table=True,
        ),
        table(
            "Nodes",
            f"In how many of its jobs a node had a rank over {SLOW} times the median, in the time range.",
            COUNT,
            now(f"count by (cluster, node) ({jobs} > {SLOW}) or 0 * count by (cluster, node) ({jobs})"),
            now(f"count by (cluster, node) ({jobs})"),
            columns={"node": "Node", "Value #A": "Jobs with a slow rank", "Value #B": "Jobs"},
            sort="Jobs with a slow rank",
        ),
    ]


def _scores() -> list[Panel]:
    best = f"min by (cluster, job_id) (job_id_rank:ringscope_own_seconds:mean1m{{{JOB}}})"
    return [
        job_page(
            graph(
                "Against the best rank",
                "The best rank's own time over the rank's: 1 is the best, below 0.75 a straggler.",
                RATIO,
                query(f"{best} / on (cluster, job_id) group_right () ({OWN} > 0)", LEGEND),
            )
        ),
        job_page(
            graph(
                "Against itself",
                "The rank's best own time of the last hour over its present one: below 0.75 it became slow.",
                RATIO,
                query(f"min_over_time({OWN}[1h]) / ({OWN} > 0)", LEGEND),
            )
        ),
    ]


def _map() -> Panel:
    return heatmap(
        "Ranks over time",
        "Compute time in times of the median rank of the same job; a row for each rank.",
        COUNT,
        query(SLOWNESS, LEGEND),
    )


def _late() -> list[Panel]:
    return [
        job_page(
            graph(
                "Late ranks",
                "Time in collectives in times of the median rank. Who comes last waits least: the peers wait for it.",
                COUNT,
                query(IN_COLLECTIVES, LEGEND),
            )
        ),
        job_page(
            graph(
                "Own time",
                "Mean time outside of collectives in a step.",
                SECONDS,
                query(OWN, LEGEND),
            )
        ),
    ]


def _found() -> Panel:
    kinds = 'kind=~"straggler|late_rank|slow_link"'
    found = f"max_over_time(ringscope_job_insight{{{JOB},{kinds}}}[$__range])"
    return job_page(
        table(
            "Insights in the time range",
            "What the server itself found: a slow rank, a rank that comes late, a slow link.",
            COUNT,
            now(f"max by (cluster, job_id, kind, node, rank) ({found})"),
            columns={"kind": "Kind", "job_id": "Job", "rank": "Rank", "node": "Node"},
            width=24,
        ),
        in_table=True,
    )
