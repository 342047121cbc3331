"""Sentences about everything that a report's jobs did not measure or check. Pure."""

from ringscope.contracts.words.collectives import COLLECTIVES
from ringscope.contracts.words.units import format_size, plural
from ringscope.report.document import Report

_LARGE_BYTES = 64 << 20


def untested(report: Report) -> list[str]:
    """Return a sentence for each thing that a reader could take for tested."""
    rows = [row for job in report.jobs for row in job.rows]
    if not rows:
        return ["Nothing was measured."]
    said = []
    measured = {row.collective for row in rows}
    missing = [name for name in COLLECTIVES if name not in measured]
    if missing:
        said.append(f"These collectives were not measured: {', '.join(missing)}.")
    for in_place, name in ((False, "out of place"), (True, "in place")):
        if all(row.in_place is not in_place for row in rows):
            said.append(f"Nothing was measured {name}.")
    smallest, largest = (end(row.size_bytes for row in rows) for end in (min, max))
    said.append(f"No message is smaller than {format_size(smallest)} or larger than {format_size(largest)}.")
    if largest < _LARGE_BYTES:
        said.append("No message has 64 MiB or more, so the bandwidth of the links was not measured.")
    unchecked = sum(row.wrong is None for row in rows)
    if unchecked:
        said.append(f"The elements of {plural(unchecked, 'row')} of {len(rows)} were not checked.")
    dtypes = sorted({row.dtype for row in rows if row.dtype})
    if len(dtypes) == 1:
        said.append(f"No dtype other than {dtypes[0]} was measured.")
    unknown = [job for job in report.jobs if job.judgement and job.judgement.get("word") == "unknown"]
    if unknown:
        said.append(f"The bandwidth of {plural(len(unknown), 'job')} could not be judged.")
    if report.unused_nodes:
        said.append(f"These nodes of the cluster were not used: {', '.join(report.unused_nodes)}.")
    refused = [job for job in report.jobs if job.refused]
    if refused:
        said.append(f"{plural(len(refused), 'table')} had no result that could be used.")
    if not report.links:
        said.append("The links between the nodes were not measured pair by pair.")
    return said
