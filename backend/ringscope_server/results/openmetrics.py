"""A job's steps as OpenMetrics text: the counters of its ranks at each of its milliseconds.

Names and labels are those of the agents' pages, so that dashboards show a job that was filled in later (`promtool tsdb
create-blocks-from openmetrics`) like one that was scraped. Prometheus keeps milliseconds: if several steps of a rank
end in the same one, the counters include all and the gauge has the last.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ringscope.contracts.metrics import agent as table
from ringscope.contracts.metrics.family import Family
from ringscope_server.results.step_spool import StepSpool

MEDIA_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
END = "# EOF\n"
_Column = Callable[[np.ndarray], np.ndarray]

_OF_RANKS: dict[Family, _Column] = {
    table.RANK_STEPS: lambda steps: np.ones(len(steps)),
    table.RANK_STEP_SECONDS: lambda steps: steps["duration_us"] * 1e-6,
    table.RANK_COMPUTE_SECONDS: lambda steps: steps["compute_us"] * 1e-6,
}
_OF_OPS: dict[Family, _Column] = {
    table.RANK_COLLECTIVES: lambda steps: np.ones(len(steps)),
    table.RANK_COLLECTIVE_SECONDS: lambda steps: steps["communication_us"] * 1e-6,
    table.RANK_COLLECTIVE_BYTES: lambda steps: steps["bytes"].astype(float),
    table.RANK_COLLECTIVE_BUS_BYTES: lambda steps: steps["bus_bytes"],
    table.RANK_LAST_COLLECTIVE_DURATION: lambda steps: steps["communication_us"] * 1e-6,
}


@dataclass(frozen=True)
class ExportedJob:
    """The facts about the job that the steps do not have."""

    job_id: int
    nodes: dict[int, str]  # node of each rank


def text(job: ExportedJob, spool: StepSpool) -> Iterator[str]:
    """Yield the whole exposition, piece by piece."""
    families = _OF_RANKS | _OF_OPS if spool.ranks else {}
    for family, column in families.items():
        yield f"# TYPE {family.name.removesuffix('_total')} {family.kind}\n"
        yield f"# HELP {family.name.removesuffix('_total')} {family.help}\n"
        for rank in spool.ranks:
            for op in range(len(spool.ops)) if family in _OF_OPS else (None,):
                yield from _series(job, spool, family, column, rank, op)
    yield END


def _series(
    job: ExportedJob, spool: StepSpool, family: Family, column: _Column, rank: int, op: int | None
) -> Iterator[str]:
    labels = {"job_id": str(job.job_id), "rank": str(rank)}
    if op is not None:
        labels["op"] = spool.ops[op]
    labels["node"] = job.nodes.get(rank, "")
    name = family.name + "{" + ",".join(f'{label}="{_escaped(value)}"' for label, value in labels.items()) + "}"
    parts = (steps if op is None else steps[steps["op"] == op] for steps in spool.of_rank(rank))
    samples = ((steps["end_ns"], column(steps)) for steps in parts if len(steps))
    for times_ms, values in by_millisecond(samples, is_counter=family.kind == "counter"):
        yield "".join(
            f"{name} {value!r} {ms // 1000}.{ms % 1000:03}\n"
            for ms, value in zip(times_ms.tolist(), values.tolist(), strict=True)
        )


def by_millisecond(
    samples: Iterable[tuple[np.ndarray, np.ndarray]], is_counter: bool
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the last value in each millisecond; for a counter the sum up to then, starting from a zero before the
    first.

    ``samples`` are times (ns) and values in batches. If a clock was set back, the time stands still for a while.
    """
    total, held_ms = 0.0, None
    held = np.zeros(0), np.zeros(0)
    for times_ns, values in samples:
        times_ms = np.maximum.accumulate(np.maximum(times_ns // 1_000_000, held_ms or 0))
        if held_ms is None and is_counter:
            yield times_ms[:1] - 1, np.zeros(1)
        if is_counter:
            values = total + np.cumsum(values)
            total = float(values[-1])
        if held_ms is not None and times_ms[0] > held_ms:
            yield held
        is_last = np.append(times_ms[1:] > times_ms[:-1], False)
        if is_last.any():
            yield times_ms[is_last], values[is_last]
        held_ms, held = int(times_ms[-1]), (times_ms[-1:], values[-1:])
    if held_ms is not None:
        yield held


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
