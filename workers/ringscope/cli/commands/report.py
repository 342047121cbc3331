"""`ringscope report` writes one HTML file about jobs or files, and verifies such a file."""

from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer

from ringscope.cli.connection import Url
from ringscope.cli.console import DEFAULT_DATA_DIR, EXIT_FAILED, DataDir, say
from ringscope.cli.results.files import content_of, given_facts, name_of
from ringscope.cli.results.site_file import sources
from ringscope.contracts.errors import UserError
from ringscope.contracts.words.units import plural
from ringscope.report.document import Link, ReportedJob, made
from ringscope.report.files import reported_file

_MOST_BYTES = 256 << 20


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(report)


def report(
    jobs: Annotated[list[int] | None, typer.Argument(metavar="JOB...", help="The numbers of the jobs.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The HTML file to write.")] = None,
    junit_file: Annotated[
        Path | None, typer.Option("--junit", help="Write the judgements as JUnit XML for CI.")
    ] = None,
    verified: Annotated[Path | None, typer.Option("--verify", help="Compute a report again, and compare.")] = None,
    from_files: Annotated[
        list[str] | None, typer.Option("--from", help="A file of another tool instead of a job; may be repeated.")
    ] = None,
    gpu: Annotated[str | None, typer.Option(help="The GPU, if a file does not name it: H100, MI300X.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="The number of nodes, if a file does not say it.")] = None,
    collective: Annotated[str | None, typer.Option(help="The collective, if a file does not say it.")] = None,
    cards: Annotated[str | None, typer.Option(help="The network cards of a node: 8x400G.")] = None,
    ranks: Annotated[int | None, typer.Option(min=1, help="The number of ranks, if a file does not say it.")] = None,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Write what jobs measured, and how it was judged, into one HTML file that needs no network.

    The file has all rows as JSON with a checksum. --verify computes every bandwidth and judgement of such a file again
    and says what differs; the exit code is then 1. --from reads files of nccl-tests, rccl-tests, OSU or SuperBench, as
    `ringscope import` does, and needs no server.
    """
    if verified is not None:
        if jobs or from_files or output or junit_file:
            raise UserError("--verify: it takes one report and nothing else; leave out jobs, --from, -o and --junit.")
        _verify(verified)
        return
    if not jobs and not from_files:
        raise UserError("There is nothing to report; name a job, or a file with --from.")
    if output is None and junit_file is None:
        raise UserError("There is no file to write; add -o report.html or --junit report.xml.")
    given = given_facts(gpu, nodes, collective, cards, ranks)
    known = sources(data_dir) if from_files else ()
    parts = [part for path in from_files or () for part in reported_file(name_of(path), content_of(path), given, known)]
    stored, links, unused = _stored(jobs, url, data_dir) if jobs else ([], [], [])
    page = made([*stored, *parts], links, unused, datetime.now(UTC), metadata.version("ringscope"))
    if output is not None:
        from ringscope.report.page import render

        _write(output, render(page))
    if junit_file is not None:
        from ringscope.report.junit import junit

        _write(junit_file, junit(page))


def _stored(numbers: Iterable[int], url: str | None, data_dir: Path) -> tuple[list[ReportedJob], list[Link], list[str]]:
    """Return the jobs, the measured links between their nodes, and the nodes that none of them used."""
    from ringscope.cli.connection import connect  # files need no HTTP client

    with connect(url, data_dir) as client:
        from ringscope.cli.results.reported import cluster_of, reported

        jobs = [reported(client, number) for number in dict.fromkeys(numbers)]
        return jobs, *cluster_of(client, jobs)


def _verify(path: Path) -> None:
    from ringscope.report.document import checksum, to_text
    from ringscope.report.verify import NoReportError, only_by_checksum, verify

    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise UserError(f"--verify: {path} has more than 256 MiB; name a report.")
        found, differences = verify(content.decode("utf-8"))
    except OSError as error:
        raise UserError(f"--verify: {path} cannot be read ({error.strerror}); name a report.") from None
    except UnicodeDecodeError:
        raise UserError(f"--verify: {path} is no text; name a report.") from None
    except NoReportError as error:
        raise UserError(f"--verify: {path}: {error}") from None
    for sentence in differences:
        say(sentence)
    rows = sum(len(job.rows) for job in found.jobs)
    what = f"{plural(len(found.jobs), 'measurement')} with {plural(rows, 'row')}"
    if differences:
        say(f"{path}: {plural(len(differences), 'difference')} in {what}.")
        raise typer.Exit(EXIT_FAILED)
    say(f"{path}: every number and judgement of {what} is what its rows give.")
    say(f"SHA-256 {checksum(to_text(found))}")
    for sentence in only_by_checksum(found):
        say(sentence)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror}); choose another file.") from None
    say(f"Wrote {path}.")
