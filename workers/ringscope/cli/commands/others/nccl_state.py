"""`ringscope nccl-inspector` and `ringscope nccl-ras` read what NCCL says of itself while a job runs."""

import json
from typing import Annotated

import typer

from ringscope.cli.console import EXIT_FAILED, say, say_json
from ringscope.cli.results.files import content_of
from ringscope.cli.results.plain_table import say_table
from ringscope.contracts.errors import UserError
from ringscope.imports.lines import NotTextError
from ringscope.nccl_inspector import sentences as inspector
from ringscope.nccl_inspector.reading import read as read_records
from ringscope.nccl_ras import sentences as ras
from ringscope.nccl_ras.model import Report
from ringscope.nccl_ras.reading import RefusedError
from ringscope.nccl_ras.reading import read as read_report

_HEADINGS = ("COMMUNICATOR", "RANKS", "COLLECTIVE", "SIZE", "RECORDS", "LOWEST", "MEDIAN", "HIGHEST GB/s", "DROPS")


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command("nccl-inspector")(nccl_inspector)
    app.command("nccl-ras")(nccl_ras)


def nccl_inspector(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files of JSON lines, or - for standard input.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Read JSON lines of NCCL Inspector: the bus bandwidth by communicator, collective and size, with its drops.

    The exit code is 1 if a record is below half of its series' median.
    """
    try:
        found = read_records(content_of(path) for path in files)
    except NotTextError as error:
        raise UserError(f"{', '.join(files)}: {error}") from None
    if not found.series:
        why = "; ".join(note.rstrip(".") for note in inspector.notes(found))
        reason = f" ({why})" if why else ""
        raise UserError(f"{', '.join(files)}: no line is a collective's record of NCCL Inspector{reason}.")
    if as_json:
        say_json(json.dumps(inspector.document(found), indent=2))
    else:
        say(inspector.answer(found))
        for note in inspector.notes(found):
            say(note)
        say()
        say_table(_HEADINGS, [inspector.cells(one) for one in found.series])
    if any(one.drops for one in found.series):
        raise typer.Exit(EXIT_FAILED)


def nccl_ras(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A report of RAS, or - for standard input.")],
    before: Annotated[
        str | None, typer.Option("--before", metavar="FILE", help="An earlier report: did the counts change since?")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Read a report of NCCL's RAS, as text or JSON, and name the ranks that do not answer or are behind.

    Ranks that are behind in one report need not hang; with --before the answer says whether they do. The exit code is
    1 if there are such ranks, except if their counts have changed.
    """
    report = _report(file)
    earlier = _report(before) if before is not None else None
    told = ras.remarks(report, earlier)
    if as_json:
        say_json(json.dumps(ras.document(report, earlier), indent=2))
    else:
        say(ras.answer(report, earlier))
        for remark in told[1:]:
            say(remark.sentence)
        if report.is_repaired:
            say("The JSON missed commas, as that of NCCL 2.28 does; they were added.")
    if any(remark.kind != "progressing" for remark in told):
        raise typer.Exit(EXIT_FAILED)


def _report(path: str) -> Report:
    try:
        return read_report(content_of(path))
    except RefusedError as error:
        raise UserError(f"{path}: {error}") from None
