"""Jobs of a server as parts of a report, from the JSON of the REST API. Pure."""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from ringscope.report.document import Fact, Link, ReportedJob, Row, best_of

_ROW = ("collective", "algorithm", "size_bytes", "in_place", "dtype", "op", "ranks", "transport", "wrong")


def reported_job(
    job: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    judgement: dict[str, Any] | None,
    environment: Mapping[str, Any] | None,
    caveats: Sequence[str],
) -> ReportedJob:
    """Return a job with its rows; ``environment`` is that of its newest attempt."""
    is_imported = job["kind"] == "imported"
    found = [_row(row, is_imported) for row in rows]
    attempt = (job.get("attempts") or [{}])[-1]
    return ReportedJob(
        title=job["name"] or f"Job {job['id']}",
        kind="imported" if is_imported else "benchmark",
        id=job["id"],
        state=job["state"],
        refused=None,
        facts=_facts(job, found),
        versions=_versions(environment or {}),
        nodes=list(attempt.get("nodes") or ()),
        rows=found,
        best=best_of(found),
        judgement=judgement,
        disturbed=list(caveats),
    )


def used_nodes(jobs: Iterable[ReportedJob]) -> set[str]:
    """Return the nodes on which benchmarks of a report ran."""
    return {node for job in jobs if job.kind == "benchmark" for node in job.nodes}


def unused_nodes(nodes: Iterable[str], used: Set[str]) -> list[str]:
    """Return the nodes of the cluster that no benchmark used; a report that used none has none."""
    return sorted(set(nodes) - used) if used else []


def links_between(links: Iterable[Mapping[str, Any]], nodes: Set[str]) -> list[Link]:
    """Return the measured links between these nodes, from the JSON of ``GET /links``."""
    return [
        Link(
            nodes=(link["nodes"][0], link["nodes"][1]),
            busbw_gb_per_s=link["busbw_gb_per_s"],
            size_bytes=link["size_bytes"],
            job_id=link["job_id"],
        )
        for link in links
        if len(link["nodes"]) == 2 and set(link["nodes"]) <= nodes
    ]


def _row(row: Mapping[str, Any], is_imported: bool) -> Row:
    floats = ("time_us", "time_low_us", "time_high_us", "algbw_gb_per_s", "busbw_gb_per_s")
    numbers = {name: None if row.get(name) is None else float(row[name]) for name in floats}
    halves: Any = None
    if is_imported:
        columns = {"time": "time_us", "algbw": "algbw_gb_per_s", "busbw": "busbw_gb_per_s"}
        halves = {name: _half(numbers[column]) for name, column in columns.items()}
    told = {name: row.get(name) for name in _ROW}
    return Row.model_validate(told | numbers | {"flags": [], "halves": halves})


def _half(value: float | None) -> float:
    """Return half a unit of a printed number's last digit that is not 0."""
    if not value:
        return 0.0
    mantissa, _, exponent = f"{value!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = fraction.rstrip("0")
    place = -len(digits) if digits else len(whole) - len(whole.rstrip("0"))
    return 0.5 * 10.0 ** (place + int(exponent or 0))


def _facts(job: Mapping[str, Any], rows: Sequence[Row]) -> list[Fact]:
    spec = job.get("spec") or {}
    benchmark, imported = spec.get("benchmark") or {}, spec.get("imported") or {}
    labels = job.get("labels") or {}
    told = {
        "state": job["state"] + (f" ({job['reason']})" if job.get("reason") else ""),
        "collective": benchmark.get("collective") or _values(row.collective for row in rows),
        "ranks": _values(row.ranks for row in rows),
        "measured over": _values(row.transport for row in rows if row.transport != "imported"),
        "dtype": _values(row.dtype for row in rows),
        "tool": imported.get("tool"),
        "file": imported.get("file"),
        "SHA-256 of the file": imported.get("sha256"),
        "GPU": imported.get("gpu"),
        "user": job.get("user"),
        "started": job.get("started_at"),
        "finished": job.get("finished_at"),
        "labels": " ".join(f"{name}={value}" for name, value in sorted(labels.items())),
        "note": job.get("note"),
    }
    return [Fact(name=name, value=str(value)) for name, value in told.items() if value]


def _values(values: Any) -> str:
    return ", ".join(dict.fromkeys(str(value) for value in values if value is not None))


def _versions(environment: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for node in environment.get("nodes") or ():
        for name, version in (node.get("versions") or {}).items():
            if str(version) not in found.setdefault(name, []):
                found[name].append(str(version))
    return {name: ", ".join(versions) for name, versions in sorted(found.items())}
