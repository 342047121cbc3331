"""Finished benchmarks: bandwidth by size, against the week before, and which shapes were not measured for long."""

from typing import Any

from deploy.grafana.source.boards import board
from deploy.grafana.source.panels import BANDWIDTH, BYTES, RATIO, SECONDS, Panel, graph, now, query, table
from deploy.grafana.source.variables import CLUSTER

SHAPE = {
    "op": "Collective",
    "world_size": "Ranks",
    "nodes": "Nodes",
    "backend": "Backend",
    "dtype": "Numbers",
    "redop": "Combined by",
    "crowded": "Crowded",
}
BY = f"cluster, {', '.join(SHAPE)}"
LEGEND = "{{op}} of {{dtype}} ({{redop}}), {{world_size}} ranks, {{nodes}} nodes, {{backend}}, crowded: {{crowded}}"
OF = f'{CLUSTER},op=~"$op"'
BUSBW = f"ringscope_benchmark_bus_bandwidth_bytes_per_second{{{OF}}}"
# A server that was started again, or a second one, is another instance of the same series.
LAST = f"max without (instance, job) ({BUSBW})"
USUAL = f"max without (instance, job) (quantile_over_time(0.5, {BUSBW}[7d]))"


def dashboard() -> dict[str, Any]:
    """Ringscope benchmarks."""
    description = (
        "Bus bandwidth of the last undisturbed benchmark of each shape: collective, size, ranks, nodes, backend, "
        "numbers. By the mean time of its iterations, out of place. Crowded: ranks had fewer cores than they are."
    )
    one = board("benchmarks", "benchmarks", description, [_sizes(), [_trend()], _places(), [_age()]])
    return one | {"time": {"from": "now-7d", "to": "now"}, "refresh": "1m"}


def _sizes() -> list[Panel]:
    size = {"message_bytes": "Size"}
    return [
        table(
            "By message size",
            "Of the last benchmark that nothing disturbed, by the mean time of its iterations.",
            BANDWIDTH,
            now(LAST),
            columns=size | SHAPE | {"Value": "Bus bandwidth"},
            units={"Size": BYTES},
            numbers=("message_bytes", "world_size", "nodes"),
            sort="Size",
        ),
        table(
            "Against the median of the week",
            "The last run in shares of the median of seven days. Below 90% an alert fires.",
            RATIO,
            now(f"{LAST} / {USUAL}"),
            columns=size | SHAPE | {"Value": "Of the median"},
            units={"Size": BYTES},
            gauges={"Of the median": 1},
            numbers=("message_bytes", "world_size", "nodes"),
            sort="Size",
        ),
    ]


def _trend() -> Panel:
    best_size = f"max by ({BY}) ({BUSBW})"
    return graph(
        "Trend",
        "Each shape at its best size. A step is a new run.",
        BANDWIDTH,
        query(best_size, LEGEND),
        width=24,
        lineInterpolation="stepAfter",
    )


def _places() -> list[Panel]:
    return [
        graph(
            "Inside one node",
            "Best size of shapes that lie on one node: what its own links give.",
            BANDWIDTH,
            query(_best_on('nodes="1"'), LEGEND),
            lineInterpolation="stepAfter",
        ),
        graph(
            "Over several nodes",
            "Best size of shapes that span nodes: what the network gives.",
            BANDWIDTH,
            query(_best_on('nodes!="1"'), LEGEND),
            lineInterpolation="stepAfter",
        ),
    ]


def _best_on(nodes: str) -> str:
    selected = f"ringscope_benchmark_bus_bandwidth_bytes_per_second{{{OF},{nodes}}}"
    return f"max by ({BY}) ({selected})"


def _age() -> Panel:
    last = f"max without (instance, job) (ringscope_benchmark_last_run_timestamp_seconds{{{OF}}})"
    return table(
        "Age",
        "How long ago each shape was last measured. A shape that nobody measures can get worse unseen.",
        SECONDS,
        now(f"time() - {last}"),
        columns=SHAPE | {"Value": "Ago"},
        numbers=("world_size", "nodes"),
        sort="Ago",
        width=24,
    )
