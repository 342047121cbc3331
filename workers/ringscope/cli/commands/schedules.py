"""`ringscope schedules` and `ringscope schedule …`: jobs that are submitted repeatedly."""

import json
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

import typer

from ringscope.cli.caveats import titled
from ringscope.cli.connection import Url, as_typed, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, DataDir, say, say_json
from ringscope.cli.formatting import AsJson, Columns, named, say_list, say_one, until, when
from ringscope.cli.job_body import patch_of, read_job, variables
from ringscope.cli.progress import describe
from ringscope.cli.submission import EnvOption
from ringscope.client import Client, Schedule
from ringscope.contracts.errors import UserError
from ringscope.contracts.merge_patch import merge_patch
from ringscope.contracts.words.units import is_whole_number

Which = Annotated[str, typer.Argument(metavar="SCHEDULE", help="Its name or number.")]
File = Annotated[str | None, typer.Argument(help="The job as JSON, - for stdin.")]
Zone = Annotated[str | None, typer.Option(help="An IANA time zone such as Europe/Berlin; default UTC.")]
Overlap = Annotated[
    str | None, typer.Option(help="If the previous job has not ended: skip (default), queue or replace it.")
]
Assignments = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="FIELD=VALUE", help="Field of the job to set, such as placement.ranks=8; repeatable."
    ),
]

DrainOnBlame = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE",
        help="Drain a node that its diagnosis blames while at most this share of all nodes is drained: 10%; default: "
        "none.",
    ),
]

Count = Annotated[int, typer.Option(min=1, max=100, help="Number of times to print.")]

_COLUMNS: Columns[Schedule] = {
    "ID": lambda schedule: schedule.id,
    "NAME": lambda schedule: _title(schedule),
    "CRON": lambda schedule: schedule.cron,
    "ZONE": lambda schedule: schedule.timezone,
    "OVERLAP": lambda schedule: schedule.overlap,
    "NEXT": lambda schedule: when(schedule.next_fire_at) if schedule.is_enabled else "disabled",
    "LAST": lambda schedule: when(schedule.last_fire_at),
    "JOB": lambda schedule: schedule.last_job_id,
    "OUTCOME": lambda schedule: schedule.last_outcome,
}


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command()(schedules)
    group = typer.Typer(help="Work with one schedule: times, add, show, edit, remove, enable, disable, run, upcoming.")
    for command in (times, add, show, edit, remove, enable, disable, run, upcoming):
        group.command()(command)
    app.add_typer(group, name="schedule", no_args_is_help=True)


def schedules(as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """List the schedules."""
    with connect(url, data_dir) as client:
        found = client.schedules()
    say_list(found, _COLUMNS, as_json, as_typed("No schedule yet; `ringscope schedule add` makes one.", url, data_dir))


def times(
    cron: Annotated[str, typer.Argument(metavar="CRON", help='Minute, hour, day, month, weekday: "0 2 * * *".')],
    timezone: Zone = None,
    count: Count = 5,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Print the next times of a cron expression, on this machine's clock, before you add a schedule with it."""
    with connect(url, data_dir) as client:
        found = client.cron_times(cron, timezone, count)
    _say_times(found, as_json)


def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A unique name.")],
    cron: Annotated[str, typer.Argument(metavar="CRON", help='Minute, hour, day, month, weekday: "0 2 * * *".')],
    file: File = None,
    job: Annotated[int | None, typer.Option(min=1, help="Take this job's specification instead of a file.")] = None,
    timezone: Zone = None,
    overlap: Overlap = None,
    drain_on_blame: DrainOnBlame = None,
    disabled: Annotated[bool, typer.Option("--disabled", help="Create it disabled.")] = False,
    assignments: Assignments = None,
    env: EnvOption = None,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Submit a job repeatedly, at the times of a cron expression."""
    patch = _patch(assignments, env)
    if file is not None and job is not None:
        raise UserError("--job: the job is given twice, as FILE and as --job; leave one out.")
    base = read_job(file) if file is not None else {}
    with connect(url, data_dir) as client:
        if job is not None:
            base = client.job(job).spec.model_dump(mode="json")
        spec = merge_patch({"name": name} | base, patch)
        given = {"timezone": timezone, "overlap": overlap, "drain_on_blame": _share(drain_on_blame)}
        body = {"name": name, "cron": cron, "is_enabled": not disabled, "spec": spec}
        made = client.add_schedule(body | _given(given))
    say_one(made, _line(made), as_json)


def _share(text: str | None) -> float | None:
    """Return a share such as "10%" or "0.1" as a number."""
    if text is None:
        return None
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UserError(f"--drain-on-blame: {text!r} is no share of the nodes; write for example 10%.")
    return share


def _patch(assignments: list[str] | None, env: list[str] | None) -> dict[str, Any]:
    """Return the changes of the job as a merge patch."""
    found = variables(env, os.environ)
    return dict(merge_patch(patch_of(assignments), {"env": found} if found else {}))


def show(which: Which, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Show one schedule."""
    with connect(url, data_dir) as client:
        found = _find(client, which)
    if as_json:
        say_json(found.model_dump_json(indent=2))
        return
    say(_line(found))
    say(f"overlap   {found.overlap}")
    if found.drain_on_blame is not None:
        say(f"drain     a blamed node, while at most {found.drain_on_blame:.0%} of all nodes are drained")
    if found.last_fire_at:
        job = f", job {found.last_job_id}" if found.last_job_id is not None else ""
        say(f"last      {when(found.last_fire_at)}{job}")
    if found.last_outcome:
        say(f"outcome   {found.last_outcome}")


def edit(
    which: Which,
    file: File = None,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    cron: Annotated[str | None, typer.Option(help="Other times.")] = None,
    timezone: Zone = None,
    overlap: Overlap = None,
    drain_on_blame: DrainOnBlame = None,
    assignments: Assignments = None,
    env: EnvOption = None,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Change a schedule; omitted options stay unchanged. FILE replaces its job."""
    patch = _patch(assignments, env)
    base = read_job(file) if file is not None else None
    with connect(url, data_dir) as client:
        found = _find(client, which)
        spec = merge_patch(found.spec if base is None else base, patch)
        given = {"name": name, "cron": cron, "timezone": timezone, "overlap": overlap, "spec": spec}
        share = {} if drain_on_blame is None else {"drain_on_blame": _share(drain_on_blame) or None}
        changed = _replace(client, found, _given(given) | share)
    say_one(changed, _line(changed), as_json)


def remove(which: Which, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Remove a schedule; the jobs that it submitted are kept."""
    with connect(url, data_dir) as client:
        found = _find(client, which)
        client.remove_schedule(found.id)
    say(f"Schedule {found.id} {_title(found)} is removed.")


def enable(which: Which, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Enable a schedule."""
    with connect(url, data_dir) as client:
        changed = _replace(client, _find(client, which), {"is_enabled": True})
    say_one(changed, _line(changed), as_json)


def disable(which: Which, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Disable a schedule."""
    with connect(url, data_dir) as client:
        changed = _replace(client, _find(client, which), {"is_enabled": False})
    say_one(changed, _line(changed), as_json)


def run(which: Which, as_json: AsJson = False, url: Url = None, data_dir: DataDir = DEFAULT_DATA_DIR) -> None:
    """Submit a schedule's job now, in addition to its planned times."""
    with connect(url, data_dir) as client:
        job = client.run_schedule(_find(client, which).id)
    say_one(job, describe(job), as_json)


def upcoming(
    which: Which,
    count: Count = 5,
    as_json: AsJson = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Print a schedule's next times, on this machine's clock."""
    with connect(url, data_dir) as client:
        found = client.upcoming(_find(client, which).id, count)
    _say_times(found, as_json)


def _say_times(found: Sequence[datetime], as_json: bool) -> None:
    if as_json:
        say_json(json.dumps([time.isoformat() for time in found], indent=2))
        return
    for time in found:
        say(until(time))


def _find(client: Client, which: str) -> Schedule:
    return client.schedule(int(which)) if is_whole_number(which) else named("schedule", which, client.schedules())


def _replace(client: Client, found: Schedule, changes: dict[str, Any]) -> Schedule:
    # the revision protects a change that another user makes between the two requests
    return client.replace_schedule(found.id, found.body() | changes, found.revision)


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _title(schedule: Schedule) -> str:
    return titled(schedule.name, schedule.is_simulated)


def _line(schedule: Schedule) -> str:
    next_time = f"next {until(schedule.next_fire_at)}" if schedule.next_fire_at else "no next time"
    times = f"{schedule.cron} {schedule.timezone}"
    return f"Schedule {schedule.id} {_title(schedule)}: {times}, " + (next_time if schedule.is_enabled else "disabled")
