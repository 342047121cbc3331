"""The server, the agents' way to it, and what monitoring itself costs."""

from typing import Any

from deploy.grafana.source.boards import board
from deploy.grafana.source.panels import BYTES, COUNT, PER_SECOND, SECONDS, Panel, graph, now, query, stat, table
from deploy.grafana.source.variables import CLUSTER, NODE

WINDOW = "[$__rate_interval]"
TARGETS = f'{CLUSTER},job=~"ringscope-.*"'


def dashboard() -> dict[str, Any]:
    """Ringscope service."""
    description = "Requests, records, live streams, the scheduler, and the cost of scraping."
    rows = [_numbers(), _requests(), _records(), _agents(), _scrapes(), _exporters(), _versions()]
    return board("service", "service", description, rows)


def _numbers() -> list[Panel]:
    age = f"time() - max(ringscope_scheduler_last_pass_timestamp_seconds{{{CLUSTER}}})"
    unavailable = (
        f'sum(rate(ringscope_http_request_duration_seconds_count{{{CLUSTER},code="503"}}{WINDOW})) or vector(0)'
    )
    streams = f"sum(ringscope_stream_subscribers{{{CLUSTER}}})"
    dropped = f"sum(rate(ringscope_stream_messages_dropped_total{{{CLUSTER}}}{WINDOW}))"
    up = f'sum(up{{{CLUSTER},job="ringscope-server"}})'
    return [
        stat("Servers", "Servers that Prometheus reaches.", COUNT, query(up, "up")),
        stat(
            "Last pass",
            "Since the last pass of the scheduler.",
            SECONDS,
            query(age, "ago"),
            steps=[("green", None), ("orange", 5), ("red", 30)],
        ),
        stat("Database trouble", "Requests per second that were answered 503.", PER_SECOND, query(unavailable, "503")),
        stat("Live streams", "Browsers and commands that follow events.", COUNT, query(streams, "streams")),
        stat("Live messages dropped", "For browsers that read too slowly.", PER_SECOND, query(dropped, "dropped")),
        stat(
            "Targets down",
            "Servers and agents that Prometheus does not reach.",
            COUNT,
            query(f"count(up{{{TARGETS}}} == 0) or vector(0)", "down"),
            steps=[("green", None), ("red", 1)],
        ),
    ]


def _requests() -> list[Panel]:
    buckets = f"rate(ringscope_http_request_duration_seconds_bucket{{{CLUSTER}}}{WINDOW})"
    count = f"rate(ringscope_http_request_duration_seconds_count{{{CLUSTER}}}{WINDOW})"
    return [
        graph(
            "Slow routes",
            "What 99 of 100 requests take at most, by buckets; the ten slowest routes. Polls wait on purpose.",
            SECONDS,
            query(
                f"topk(10, histogram_quantile(0.99, sum by (le, method, route) ({buckets})))", "{{method}} {{route}}"
            ),
        ),
        graph(
            "Requests",
            "By the status that they were answered with.",
            PER_SECOND,
            query(f"sum by (code) ({count})", "{{code}}"),
        ),
    ]


def _records() -> list[Panel]:
    stored = f"sum by (kind) (rate(ringscope_ingest_records_total{{{CLUSTER}}}{WINDOW}))"
    refused = f"sum by (reason) (rate(ringscope_ingest_rejected_total{{{CLUSTER}}}{WINDOW}))"
    delay = f"sum by (le) (rate(ringscope_ingest_delay_seconds_bucket{{{CLUSTER}}}{WINDOW}))"
    return [
        graph(
            "Records stored",
            "From agents into rows, by kind; and those that were refused.",
            PER_SECOND,
            query(stored, "{{kind}}"),
            query(refused, "refused: {{reason}}"),
        ),
        graph(
            "Delay",
            "From the end of a block of steps to its rows in the database, as far as the buckets tell.",
            SECONDS,
            query(f"histogram_quantile(0.5, {delay})", "p50"),
            query(f"histogram_quantile(0.99, {delay})", "p99"),
        ),
    ]


def _agents() -> list[Panel]:
    lost = f"sum by (node, reason) (rate(ringscope_agent_records_dropped_total{{{NODE}}}{WINDOW}))"
    contact = f"time() - ringscope_agent_last_server_contact_timestamp_seconds{{{NODE}}}"
    return [
        graph(
            "Records lost",
            "Step records that agents lost before the server had them.",
            PER_SECOND,
            query(lost, "{{node}} {{reason}}"),
            width=8,
        ),
        graph(
            "Spool",
            "Bytes that wait on the agents' disks for the server.",
            BYTES,
            query(f"ringscope_agent_spool_bytes{{{NODE}}}", "{{node}}"),
            width=8,
        ),
        graph(
            "Agents' last contact",
            "Since the last request that the server accepted from each agent.",
            SECONDS,
            query(contact, "{{node}}"),
            width=8,
        ),
    ]


def _scrapes() -> list[Panel]:
    return [
        graph(
            "Scrape time",
            "What Prometheus waits for each page.",
            SECONDS,
            query(f"scrape_duration_seconds{{{TARGETS}}}", "{{job}} {{instance}}"),
            width=8,
        ),
        graph(
            "Samples",
            "On each page.",
            COUNT,
            query(f"scrape_samples_scraped{{{TARGETS}}}", "{{job}} {{instance}}"),
            width=8,
        ),
        graph(
            "New series",
            "That each scrape adds: jobs come and go.",
            COUNT,
            query(f"scrape_series_added{{{TARGETS}}}", "{{job}} {{instance}}"),
            width=8,
        ),
    ]


def _exporters() -> list[Panel]:
    errors = f"sum by (job, instance) (rate(ringscope_collector_errors_total{{{CLUSTER}}}{WINDOW}))"
    return [
        graph(
            "Time to make a page",
            "Of servers and agents, inside of the scrape.",
            SECONDS,
            query(f"ringscope_collector_duration_seconds{{{CLUSTER}}}", "{{job}} {{instance}}"),
        ),
        graph(
            "Pages with a fault",
            "Pages per second that lacked series because of a fault.",
            PER_SECOND,
            query(errors, "{{job}} {{instance}}"),
        ),
    ]


def _versions() -> list[Panel]:
    versions = {"version": "Version", "nccl_version": "NCCL", "driver_version": "Driver"}
    return [
        table(
            "Server builds",
            "What runs.",
            COUNT,
            now(f"ringscope_build_info{{{CLUSTER}}}"),
            columns={"instance": "Server", "version": "Version", "revision": "Revision"},
        ),
        table(
            "Agent builds",
            "What runs on each node.",
            COUNT,
            now(f"ringscope_agent_info{{{NODE}}}"),
            columns={"node": "Node"} | versions,
        ),
    ]
