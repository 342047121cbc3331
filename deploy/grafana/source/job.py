"""One job: bandwidth, its ranks against each other, and where they run."""

from typing import Any

from deploy.grafana.source.boards import board
from deploy.grafana.source.panels import (
    BANDWIDTH,
    BYTES,
    COUNT,
    PER_SECOND,
    RATIO,
    SECONDS,
    Panel,
    graph,
    heatmap,
    job_page,
    now,
    query,
    stacked,
    table,
    timeline,
)
from deploy.grafana.source.variables import JOB, RANK, RANK_OP

WINDOW = "[$__rate_interval]"
SLOWEST, FASTEST = "slowest rank", "fastest rank"


def dashboard() -> dict[str, Any]:
    """Ringscope job."""
    description = "Bandwidth, step times and ranks of one job. Exact rows are on the job's own page."
    rows = [[_states()], _bandwidth(), _durations(), [_compute()], _steps(), _training(), _parts(), _placement()]
    return board("job", "job", description, rows, one_job=True)


def _states() -> Panel:
    return timeline(
        "State",
        "The job's state while it is active, and for a moment after.",
        COUNT,
        query(f"ringscope_job_state{{{JOB}}} == 1", "{{state}}"),
    )


def _bandwidth() -> list[Panel]:
    return [
        _of_sizes(),
        _with_band(
            "Algorithm bandwidth",
            "Message bytes over seconds in collectives. The band: slowest to fastest rank.",
            "ringscope_rank_collective_bytes_total",
        ),
    ]


def _of_sizes() -> Panel:
    labels = f'{{{JOB},op=~"$op"}}'
    by = "sum by (cluster, job_id, op, message_bytes)"
    bus_bytes = f"{by} (rate(ringscope_collective_size_bus_bytes_total{labels}{WINDOW}))"
    seconds = f"{by} (rate(ringscope_collective_size_seconds_total{labels}{WINDOW}))"
    return job_page(
        graph(
            "Bus bandwidth of each message size",
            "Bus bytes over seconds in collectives of one size, over all ranks and exact over any window.",
            BANDWIDTH,
            query(f"{bus_bytes} / ({seconds} > 0)", "{{op}} {{message_bytes}} B"),
        )
    )


def _with_band(title: str, description: str, metric: str) -> Panel:
    seconds = f"rate(ringscope_rank_collective_seconds_total{{{RANK_OP}}}{WINDOW})"
    bytes_ = f"rate({metric}{{{RANK_OP}}}{WINDOW})"
    job = "cluster, job_id"
    line = f"sum by ({job}, op) ({bytes_}) / (sum by ({job}, op) ({seconds}) > 0)"
    ranks = f"sum by ({job}, rank) ({bytes_}) / (sum by ({job}, rank) ({seconds}) > 0)"
    panel = graph(
        title,
        description,
        BANDWIDTH,
        query(line, "{{op}}"),
        query(f"min by ({job}) ({ranks})", SLOWEST),
        query(f"max by ({job}) ({ranks})", FASTEST),
    )
    band = {"custom.lineWidth": 0, "custom.fillOpacity": 15, "custom.fillBelowTo": SLOWEST}
    panel["fieldConfig"]["overrides"] = [
        _override(SLOWEST, {"custom.lineWidth": 0, "custom.fillOpacity": 0}),
        _override(FASTEST, band),
    ]
    return job_page(panel)


def _override(series: str, properties: dict[str, Any]) -> dict[str, Any]:
    named = [{"id": name, "value": value} for name, value in properties.items()]
    return {"matcher": {"id": "byName", "options": series}, "properties": named}


def _durations() -> list[Panel]:
    buckets = f'sum by (le, op) (rate(ringscope_collective_duration_seconds_bucket{{{JOB},op=~"$op"}}{WINDOW}))'
    steps = f"sum by (le, kind) (rate(ringscope_step_duration_seconds_bucket{{{JOB}}}{WINDOW}))"
    return [
        graph(
            "Collectives",
            "From buckets: up to 2.5 times off; the job's page has exact ones. Dots are single steps, with their rank.",
            SECONDS,
            query(f"histogram_quantile(0.5, {buckets})", "{{op}} p50"),
            query(f"histogram_quantile(0.99, {buckets})", "{{op}} p99", exemplar=True),
        ),
        graph(
            "Steps",
            "From buckets: up to 2.5 times off; the job's page has exact ones. Dots are single steps, with their rank.",
            SECONDS,
            query(f"histogram_quantile(0.5, {steps})", "p50"),
            query(f"histogram_quantile(0.99, {steps})", "p99", exemplar=True),
        ),
    ]


def _compute() -> Panel:
    compute = f"rate(ringscope_rank_compute_seconds_total{{{RANK}}}{WINDOW})"
    steps = f"rate(ringscope_rank_steps_total{{{RANK}}}{WINDOW})"
    return heatmap(
        "Compute time of each rank",
        "Mean time outside of collectives in a step; a row for each rank. A darker row is a slow rank.",
        SECONDS,
        query(f"{compute} / ({steps} > 0)", "{{rank}}"),
    )


def _steps() -> list[Panel]:
    last = f"ringscope_rank_last_step{{{RANK}}}"
    lag = f"max by (cluster, job_id) ({last}) - on (cluster, job_id) group_right () {last}"
    rate = {
        what: f"sum(rate(ringscope_rank_{what}_seconds_total{{{RANK}}}{WINDOW}))"
        for what in ("step", "compute", "collective", "input")
    }
    waiting = f"({rate['input']} or 0 * {rate['step']})"  # absent where it is not measured
    other = f"clamp_min({rate['step']} - {rate['compute']} - {rate['collective']} - {waiting}, 0)"
    whole = f"({rate['step']} > 0)"
    return [
        graph(
            "Step lag",
            "How many steps each rank is behind the one in front. Benchmarks tell their steps after each timed block.",
            COUNT,
            query(lag, "rank {{rank}}"),
            width=8,
        ),
        stacked(
            "Where the time goes",
            "Shares of the time in steps, over all ranks; collectives contain the wait for peers.",
            RATIO,
            query(f"{waiting} / {whole}", "waiting for samples"),
            query(f"{rate['compute']} / {whole}", "compute"),
            query(f"{rate['collective']} / {whole}", "collectives"),
            query(f"{other} / {whole}", "other"),
            width=8,
        ),
        graph(
            "Wrong elements",
            "Elements that the check found wrong, in each window. A single one fails the job.",
            COUNT,
            query(f"increase(ringscope_rank_verification_errors_total{{{RANK_OP}}}{WINDOW})", "rank {{rank}} {{op}}"),
            width=8,
            drawStyle="bars",
        ),
    ]


def _training() -> list[Panel]:
    samples = f"sum by (cluster, job_id) (rate(ringscope_rank_samples_total{{{RANK}}}{WINDOW}))"
    return [
        graph(
            "Loss",
            "Of the last step, rank 0. Training jobs only.",
            COUNT,
            query(f"ringscope_training_loss{{{JOB}}}", "loss"),
            width=8,
        ),
        graph(
            "Samples",
            "Training samples per second, over all ranks.",
            PER_SECOND,
            query(samples, "samples"),
            width=8,
        ),
        graph(
            "Goodput",
            "Productive time of all time since the start.",
            RATIO,
            query(f"ringscope_job_goodput_ratio{{{JOB}}}", "goodput"),
            width=8,
        ),
    ]


def _parts() -> list[Panel]:
    waiting = f"rate(ringscope_rank_input_seconds_total{{{RANK}}}{WINDOW})"
    steps = f"rate(ringscope_rank_steps_total{{{RANK}}}{WINDOW})"
    return [
        graph(
            "Waiting for samples",
            "Mean time in a step in which the rank waited for its samples. Training jobs only.",
            SECONDS,
            query(f"{waiting} / ({steps} > 0)", "rank {{rank}}"),
        ),
        graph(
            "Memory",
            "Resident set of each rank's process; a GPU's memory is not part of it. Training jobs only.",
            BYTES,
            query(f"ringscope_rank_memory_bytes{{{RANK}}}", "rank {{rank}}"),
        ),
    ]


def _placement() -> list[Panel]:
    facts = {"job_id": "Job", "kind": "Kind", "op": "Collective", "world_size": "Ranks", "user": "User"}
    places = {"rank": "Rank", "node": "Node", "local_rank": "On the node", "gpu": "GPU"}
    insights = f"max by (cluster, job_id, kind, node, rank) (ringscope_job_insight{{{JOB}}})"
    return [
        job_page(
            table(
                "Job",
                "Facts about the job while it is active.",
                COUNT,
                now(f"ringscope_job_info{{{JOB}}}"),
                columns=facts,
                width=8,
            ),
            in_table=True,
        ),
        table(
            "Ranks",
            "Where each rank runs.",
            COUNT,
            now(f"ringscope_rank_info{{{RANK}}}"),
            columns=places,
            numbers=("rank",),
            width=8,
        ),
        job_page(
            table(
                "Insights",
                "What the server found in the job's rows; evidence is on the job's page.",
                COUNT,
                now(insights),
                columns={"job_id": "Job", "kind": "Kind", "rank": "Rank", "node": "Node"},
                width=8,
            ),
            in_table=True,
        ),
    ]
