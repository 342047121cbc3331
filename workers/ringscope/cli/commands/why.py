"""`ringscope why`: why a job waits, why it ended, and what to do next."""

import json
from collections.abc import Sequence

import typer

from ringscope.cli.activity import activity_words
from ringscope.cli.commands.insights import check_lines, insight_lines
from ringscope.cli.commands.jobs import JobId
from ringscope.cli.connection import Url, as_typed, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, say, say_json
from ringscope.cli.formatting import AsJson, span, until, when
from ringscope.cli.progress import describe
from ringscope.client import Activity, Attempt, Check, Job, Node

_FIELDS = {
    "id", "state", "reason", "message", "advice", "pending", "not_before", "excluded_nodes", "attempts", "insights",
}  # fmt: skip
# The reasons for waiting that another node may end.
_ENDED_BY_A_NODE = {"no_node", "slots", "shape"}


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(why)


def why(job_id: JobId, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Say why a job waits or how it ended, attempt by attempt, and what to do next."""
    with connect(url, data_dir) as client:
        job = client.job(job_id)
        activity = client.activity(job_id) if job.state == "running" else []
        nodes = client.nodes() if _waits_for_nodes(job) else []
        checks = client.checks(job_id) if any(attempt.started_at for attempt in job.attempts) else []
    if as_json:
        told = job.model_dump(mode="json", include=_FIELDS)
        told["activity"] = [item.model_dump(mode="json") for item in activity]
        told["checks"] = [check.model_dump(mode="json") for check in checks]
        say_json(json.dumps(told, indent=2))
        return
    for line in explain(job, activity, checks, nodes):
        say(as_typed(line, url, data_dir))


def explain(
    job: Job, activity: Sequence[Activity] = (), checks: Sequence[Check] = (), nodes: Sequence[Node] = ()
) -> list[str]:
    """Return a line each for the job's state, the drained nodes that it could use, every attempt, the ranks' activity,
    checks that could not run, and the next steps.
    """
    lines = [describe(job)]
    if job.state == "queued" and job.pending:
        pending = job.pending
        lines += [f"Place in the queue: {pending.position}"] if pending.position is not None else []
        lines += [f"Estimated start: {until(pending.estimated_start)}"] if pending.estimated_start else []
    if job.state == "queued" and job.not_before:
        lines.append(f"Not before: {until(job.not_before)}")
    if job.state == "queued" and job.excluded_nodes:
        lines.append(f"Avoids {', '.join(job.excluded_nodes)}, if other nodes can run it")
    lines += map(_drained, drained_for(job, nodes))
    lines += [_attempt(attempt, job) for attempt in job.attempts]
    lines += [f"Now: {words}" for words in activity_words(activity)]
    lines += insight_lines(job.insights)
    lines += check_lines(checks)
    return [*lines, f"Next: {job.advice}"]


def drained_for(job: Job, nodes: Sequence[Node]) -> list[Node]:
    """Return the drained nodes that satisfy the job's choice of nodes; none if the job waits for something else."""
    if not _waits_for_nodes(job):
        return []
    names, labels = job.spec.placement.node_names, (job.spec.placement.selector or {}).items()
    drained = (node for node in nodes if node.desired == "drain" and node.observed != "lost")
    return [node for node in drained if (not names or node.name in names) and labels <= node.labels.items()]


def _waits_for_nodes(job: Job) -> bool:
    return job.state == "queued" and job.pending is not None and job.pending.reason in _ENDED_BY_A_NODE


def _drained(node: Node) -> str:
    by = f" by {node.desired_by}" if node.desired_by else ""
    reason = f": {node.desired_reason.rstrip('.')}" if node.desired_reason else ""
    return f"Node {node.name} is drained{by}{reason}. `ringscope resume {node.name}` gives it work again."


def _attempt(attempt: Attempt, job: Job) -> str:
    start, end = attempt.started_at or attempt.created_at, attempt.finished_at
    took = f" after {span((end - start).total_seconds())}" if start and end else ""
    began = f", began {when(start)}" if start else ""
    placement, ranks = job.spec.placement, sum(member.ranks for member in attempt.members)
    of = "" if placement.min_ranks is None else f" with {ranks} of {placement.ranks} ranks"
    title = f"Attempt {attempt.number}{of} on {', '.join(attempt.nodes) or 'no node'}{began}"
    if attempt.reason is None:
        return f"{title}: " + ("it is running" if end is None else f"it ended{took}")
    blame = f", because of node {attempt.bad_node}" if attempt.bad_node else ""
    message = f": {attempt.message}" if attempt.message else ""
    return f"{title}: {attempt.reason}{took}{blame}{message}"
