"""`ringscope insights`: problems of a job that were found while it ran, with their evidence."""

import re
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from ringscope.cli.connection import Url, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, say
from ringscope.cli.formatting import AsJson, say_list, span, when
from ringscope.client import Check, Insight

_ADDRESS = re.compile(r"[Tt]hread 0x[0-9a-f]+")  # keys that differ from rank to rank
_PARTS = ("ranks", "rows", "hops", "nodes", "stacks")  # lists within the evidence: a line, or a block, for each entry

_LONG = ("dumps", "flight_recorder")  # the message has their answer


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(insights)


def insights(
    job_id: Annotated[int, typer.Argument(metavar="ID", min=1, help="The job's number.")],
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Print the problems that were found while the job ran, with numbers, and the stacks of hung ranks."""
    with connect(url, data_dir) as client:
        found = client.insights(job_id)
        checks = [] if as_json else client.checks(job_id)
    if as_json or not found:
        say_list(found, {}, as_json, "No check found anything wrong with it." if checks else "No check has run yet.")
    for line in check_lines(checks, unchecked_only=False):
        say(line)
    if as_json:
        return
    for insight in found:
        say(insight_line(insight))
        for line in evidence_lines(insight.evidence):
            say(f"  {line}")


def insight_lines(found: Iterable[Insight]) -> list[str]:
    """Return one line for each insight, for the output that shows a job."""
    return [insight_line(insight) for insight in found]


def check_lines(checks: Iterable[Check], unchecked_only: bool = True) -> list[str]:
    """List the checks that could not run, with the reason, and the others too unless ``unchecked_only``."""
    return [
        f"{'Checked' if check.is_checked else 'Not checked'} for {check.check}: {check.sentence}"
        for check in sorted(checks, key=lambda check: check.is_checked)
        if not (check.is_checked and unchecked_only)
    ]


def insight_line(insight: Insight) -> str:
    """Return the kind, the time and the sentence."""
    if insight.until is None:
        lasted = f"since {when(insight.since)}"
    else:
        lasted = f"at {when(insight.since)} for {span((insight.until - insight.since).total_seconds())}"
    return f"{insight.kind} {lasted}: {insight.message}"


def evidence_lines(evidence: dict[str, Any]) -> Iterable[str]:
    """Yield the evidence of an insight as readable lines."""
    numbers = {name: value for name, value in evidence.items() if name not in (*_PARTS, *_LONG)}
    if numbers:
        yield _words(numbers)
    for part in _PARTS[:-1]:
        yield from map(_words, evidence.get(part, []))
    yield from _stacks(evidence.get("stacks", []))


def _stacks(stacks: Iterable[dict[str, Any]]) -> Iterable[str]:
    """Show ranks that wait at the same place together."""
    alike: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for stack in stacks:
        alike.setdefault((stack["source"], _ADDRESS.sub("thread", stack["stack"])), []).append(stack)
    for (source, text), found in alike.items():
        who = ", ".join(f"rank {stack['rank']} on node {stack['node']}" for stack in found)
        yield f"{who}, by {source or 'nobody'}:"
        yield from (f"  {line}" for line in text.splitlines())


def _words(values: dict[str, Any]) -> str:
    return " ".join(f"{name}={_shown(value)}" for name, value in values.items() if value is not None)


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
