"""Jobs of a server as parts of a report."""

from collections.abc import Sequence

from ringscope.cli.caveats import sentences
from ringscope.client import ApiProblemError, Client
from ringscope.contracts.errors import UserError
from ringscope.judging.caveats import unstable_sentences
from ringscope.report.document import Link, ReportedJob
from ringscope.report.jobs import links_between, reported_job, unused_nodes, used_nodes

_MOST_NAMED = 64  # nodes in a URL, which proxies limit to some thousand characters


def reported(client: Client, number: int) -> ReportedJob:
    """Return a job with its rows, judgement and caveats; UserError for a job without bandwidths."""
    job = client.job(number)
    if job.spec.benchmark is None:
        raise UserError(f"Job {number} is of kind {job.kind}; a report is about benchmarks and imported results.")
    rows = client.measurements(number)
    environments = client.environments(number)
    return reported_job(
        job.model_dump(mode="json"),
        [row.model_dump(mode="json") for row in rows],
        _judgement(client, number),
        environments[-1].model_dump(mode="json") if environments else None,
        [*sentences(job), *unstable_sentences(rows)],
    )


def _judgement(client: Client, number: int) -> dict[str, object] | None:
    try:
        found = client.judgement(number).model_dump(mode="json")
    except ApiProblemError:  # no correct row yet
        return None
    if "basis" not in found:
        raise UserError("The server's judgements do not state what they depend on; update the server.")
    return found


def cluster_of(client: Client, jobs: Sequence[ReportedJob]) -> tuple[list[Link], list[str]]:
    """Return the measured links between the nodes of the jobs, and the nodes that none of them used."""
    used = used_nodes(jobs)
    measured = client.links(between=used if len(used) <= _MOST_NAMED else ()) if len(used) > 1 else []
    links = [link.model_dump(mode="json") for link in measured]
    return links_between(links, used), unused_nodes([node.name for node in client.nodes()] if used else [], used)
