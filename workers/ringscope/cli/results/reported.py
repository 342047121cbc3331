"""Jobs of a server as parts of a report."""

from collections.abc import Set

from ringscope.cli.caveats import sentences
from ringscope.client import ApiProblemError, Client
from ringscope.contracts.errors import UserError
from ringscope.judging.comparison import is_unstable
from ringscope.report.document import Link, ReportedJob
from ringscope.report.jobs import reported_job


def reported(client: Client, number: int) -> ReportedJob:
    """Return a job with its rows, judgement and caveats; UserError for a job without bandwidths."""
    job = client.job(number)
    if job.spec.benchmark is None:
        raise UserError(f"Job {number} is of kind {job.kind}; a report is about benchmarks and imported results.")
    rows = client.measurements(number)
    environments = client.environments(number)
    unstable = sum(map(is_unstable, rows))
    caveats = [*sentences(job), *([f"The times of {unstable} of {len(rows)} rows are unstable."] if unstable else [])]
    return reported_job(
        job.model_dump(mode="json"),
        [row.model_dump(mode="json") for row in rows],
        _judgement(client, number),
        environments[-1].model_dump(mode="json") if environments else None,
        caveats,
    )


def _judgement(client: Client, number: int) -> dict[str, object] | None:
    try:
        found = client.judgement(number).model_dump(mode="json")
    except ApiProblemError:  # no correct row yet
        return None
    if "basis" not in found:
        raise UserError("The server's judgements do not state what they depend on; update the server.")
    return found


def links_between(client: Client, nodes: Set[str]) -> list[Link]:
    """Return the measured links between these nodes."""
    if len(nodes) < 2:
        return []
    return [
        Link(
            nodes=(link.nodes[0], link.nodes[1]),
            busbw_gb_per_s=link.busbw_gb_per_s,
            size_bytes=link.size_bytes,
            job_id=link.job_id,
        )
        for link in client.links()
        if len(link.nodes) == 2 and set(link.nodes) <= nodes
    ]
