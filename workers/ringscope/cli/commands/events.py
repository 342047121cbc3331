"""`ringscope events`: what happened and which user did it; also live, and as a file for auditors."""

import time
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Annotated

import typer

from ringscope.cli.connection import Url, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, EXIT_INTERRUPTED, DataDir, in_one_line, pour, say, say_json
from ringscope.cli.follow import POLL_SECONDS
from ringscope.cli.formatting import AsJson, Columns, moment, say_list, when
from ringscope.cli.unused_options import all_for, refuse_unused
from ringscope.client import Client, Event

_COLUMNS: Columns[Event] = {
    "TIME": lambda event: when(event.time),
    "ACTOR": lambda event: event.actor,
    "ACTION": lambda event: event.action,
    "TARGET": lambda event: f"{event.target_type}:{event.target_id}",
    "CHANGE": lambda event: _change(event),
    "MESSAGE": lambda event: event.message,
}
# A transaction that ends later may have lower numbers, so new events may still appear this far back.
LATE_IDS = 200


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(events)


def events(
    context: typer.Context,
    actor: Annotated[str | None, typer.Option(help="Only actions of this user.")] = None,
    action: Annotated[str | None, typer.Option(help="Only this action, such as job.cancelled.")] = None,
    target: Annotated[
        str | None, typer.Option(help="Only events about this object: job:12, node:n1, or all of a kind: job.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="Only events since this time: 2026-01-31T12:00, or 30m, 2h, 7d ago.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Only events before this time.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Number of events to print at most, newest first.")] = 50,
    keep_following: Annotated[
        bool, typer.Option("-f", "--follow", help="Print them as they come, oldest first.")
    ] = False,
    export: Annotated[str | None, typer.Option(help="Write all that match to stdout as ndjson or csv.")] = None,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """List events, newest first."""
    if export is not None:
        reason = "--export writes all events that match, in its own format; leave it out."
        refuse_unused(context, all_for(("--follow", "--limit", "--json"), reason))
    if keep_following:
        refuse_unused(context, {"--until": "--follow prints new events until Ctrl-C; leave one of the two out."})
    kind, _, key = (target or "").partition(":")
    filters = {
        "actor": actor,
        "action": action,
        "target_type": kind or None,
        "target_id": key or None,
        "since": moment("--since", since),
        "until": moment("--until", until),
    }
    with connect(url, data_dir) as client:
        if export is not None:
            for piece in client.export_events(filters, export):
                pour(piece)
            return
        if not keep_following:
            say_list(list(client.events(filters, limit)), _COLUMNS, as_json, "No event matches.")
            return
        _follow(client, filters, limit, as_json)


def _follow(client: Client, filters: Mapping[str, str | None], limit: int, as_json: bool) -> None:
    found = list(client.events(filters, max(limit, LATE_IDS)))
    try:
        for event in reversed(found[:limit]):
            _say(event, as_json)
        for event in fresh(client, filters, {event.id for event in found}):
            _say(event, as_json)
    except KeyboardInterrupt:
        raise typer.Exit(EXIT_INTERRUPTED) from None


def fresh(client: Client, filters: Mapping[str, str | None], known: set[int]) -> Iterator[Event]:
    """Yield new events, except the ``known`` newest ones, each once, oldest first, without end."""
    while True:
        oldest = max(known, default=0) - LATE_IDS
        known = {number for number in known if number > oldest}
        found = list(takewhile(lambda event: event.id > oldest, client.events(filters)))  # noqa: B023  # used up here
        for event in reversed(found):
            if event.id not in known:
                known.add(event.id)
                yield event
        time.sleep(POLL_SECONDS)


def _say(event: Event, as_json: bool) -> None:
    if as_json:
        say_json(event.model_dump_json())
    else:
        say("  ".join(in_one_line(str(cell(event))) for cell in _COLUMNS.values()).rstrip())


def _change(event: Event) -> str:
    return " -> ".join(part or "-" for part in (event.before, event.after)) if event.before or event.after else ""
