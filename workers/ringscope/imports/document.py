"""Files as they were read, as JSON. Pure."""

from collections.abc import Callable
from math import isfinite
from typing import Any

from ringscope.imports.files import Reading
from ringscope.imports.model import Cell, Machine, Row, Run

Judgement = dict[str, Any]


def file_document(path: str, reading: Reading, judge: Callable[[Run], Judgement]) -> dict[str, Any]:
    """Return a file with its runs, each with its judgement."""
    return {"path": path, "refused": reading.refused, "runs": [run_document(run, judge(run)) for run in reading.runs]}


def run_document(run: Run, judgement: Judgement) -> dict[str, Any]:
    """Return a run; the numbers are those that were printed."""
    return {
        "tool": run.tool,
        "line": run.line,
        "collective": run.collective,
        "collective_from": run.collective_from if run.collective else None,
        "test": run.test,
        "ranks": run.ranks,
        "ranks_from": run.ranks_from if run.ranks else None,
        "partial": run.partial,
        "failed": run.failed,
        "refused": run.refused,
        "notes": run.notes,
        "machine": _machine(run.machine, run.ranks),
        "mean_busbw_gb_per_s": _number(run.mean_busbw),
        "rows": [_row(row) for row in run.rows],
        "judgement": judgement,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "size_bytes": row.size_bytes,
        "count": row.count,
        "dtype": row.dtype,
        "redop": row.redop,
        "root": row.root,
        "in_place": row.in_place,
        "time_us": _number(row.time_us),
        "algbw_gb_per_s": _number(row.algbw),
        "busbw_gb_per_s": _number(row.busbw),
        "wrong": _finite(row.wrong),
        "error": _finite(row.error),
        "flags": row.flags,
    }


def _machine(machine: Machine, ranks: int | None) -> dict[str, Any]:
    hosts = machine.hosts if ranks is None or len(machine.devices) >= ranks else []  # else the list is cut
    per_node = {sum(device.host == host for device in machine.devices) for host in hosts}
    return {
        "gpu": machine.gpu,
        "nodes": len(hosts) or machine.info_nodes,
        "gpus_per_node": per_node.pop() if len(per_node) == 1 else None,
        "hosts": hosts,
        "versions": machine.versions,
        "environment": machine.environment,
        "networks": machine.networks,
        "nvls": machine.nvls,
    }


def _number(cell: Cell | None) -> float | None:
    return None if cell is None else _finite(cell.value)


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None
