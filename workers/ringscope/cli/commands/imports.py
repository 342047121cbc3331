"""`ringscope import` reads, checks and judges results of other tools; `ringscope expected` lists what is expected."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from ringscope.cli.console import DEFAULT_DATA_DIR, EXIT_FAILED, DataDir, say, say_json
from ringscope.cli.results.explained import say_references, with_values
from ringscope.cli.results.files import STDIN, content_of, given_facts
from ringscope.cli.results.plain_table import say_table
from ringscope.cli.results.site_file import add, sources
from ringscope.contracts.errors import UserError
from ringscope.contracts.words.units import format_size, plural
from ringscope.expected.judgement import Judgement
from ringscope.expected.published import Source, search
from ringscope.explanations.kinds import read_result
from ringscope.imports.document import file_document
from ringscope.imports.files import Reading
from ringscope.imports.judged import judged
from ringscope.imports.model import Run

_HEADINGS = ("SIZE", "PLACE", "TYPE", "TIME us", "ALGBW GB/s", "BUSBW GB/s", "WRONG", "")
_SOURCE_HEADINGS = ("SOURCE", "GPU", "COLLECTIVE", "RANKS", "SIZES", "PEAK GB/s", "DATE", "")


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command("import")(import_)
    app.command()(expected)


def import_(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files with results, or - for standard input.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Store nothing; it needs no server.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Print the references of each size.")] = False,
    gpu: Annotated[str | None, typer.Option(help="The GPU, if the file does not name it: H100, MI300X.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="The number of nodes, if the file does not say it.")] = None,
    collective: Annotated[str | None, typer.Option(help="The collective, if the file does not say it.")] = None,
    cards: Annotated[str | None, typer.Option(help="The network cards of a node: 8x400G.")] = None,
    ranks: Annotated[int | None, typer.Option(min=1, help="The number of ranks, if the file does not say it.")] = None,
    url: Annotated[
        str | None,
        typer.Option(
            envvar="RINGSCOPE_URL",
            help="The server; default: the one that runs on the data directory.",
            show_default=False,
        ),
    ] = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Store results of nccl-tests, rccl-tests, OSU, SuperBench or NCCL Inspector as jobs, every row checked and judged.

    Every table becomes a job; if one is refused, nothing is stored. With --dry-run the rows are printed instead, which
    needs no server.

    Each row is recomputed: a row whose printed cells contradict each other is marked and counts for nothing. What is no
    result is refused in one sentence with its line. The judgement compares with the limit of the links, NCCL's model
    and published runs of the same kind. The exit code is 1 if anything was refused, marked, partial or failed.
    """
    given = given_facts(gpu, nodes, collective, cards, ranks)
    if not dry_run:
        if explain:
            raise UserError("--explain: only a dry run has it; add --dry-run, or use `ringscope show JOB`.")
        read = [(path, content, read_result(content)) for path, content in ((path, content_of(path)) for path in files)]
        from ringscope.cli.results.stored import store  # a dry run needs no HTTP client

        store(read, given, as_json, url, data_dir)
        if not all(reading.is_clean for _, _, reading in read):
            raise typer.Exit(EXIT_FAILED)
        return
    known = sources(data_dir)
    found = [(path, read_result(content_of(path))) for path in files]
    judgements = {id(run): judged(run, given, known) for _, reading in found for run in reading.runs}
    documents = [file_document(path, reading, lambda run: judgements[id(run)].document()) for path, reading in found]
    if as_json:
        say_json(json.dumps({"files": documents}, indent=2))
    else:
        for (path, reading), document in zip(found, documents, strict=True):
            _say_file(path, reading, document, judgements if explain else {})
    if not all(reading.is_clean for _, reading in found):
        raise typer.Exit(EXIT_FAILED)


def expected(
    words: Annotated[list[str] | None, typer.Argument(help="Words of a source: H100, all_gather.")] = None,
    add_file: Annotated[Path | None, typer.Option("--add", help="Add the rows of this file to the site's own.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """List the published bus bandwidths that judgements use, with their sources, and the site's own.

    With words it lists only sources that contain all of them, with their rows.
    """
    if add_file is not None:
        added = add(data_dir, add_file)
        say(f"Added {plural(len(added), 'source')} with {plural(sum(len(one.rows) for one in added), 'row')}.")
        return
    found = search(sources(data_dir), words or [])
    if as_json:
        say_json(json.dumps([asdict(one) for one in found], indent=2))
    elif not found:
        say("No source contains these words.")
    else:
        say_table(_SOURCE_HEADINGS, [_source_cells(one) for one in found])
        for one in found if words else ():
            _say_source(one)


def _say_source(one: Source) -> None:
    say()
    say(f"{one.id}: {one.machine}; {one.tool}, {one.library} {one.version}, {one.placement}, {one.dtype}")
    say(f"  {one.url} ({'of' if one.date_of == 'source' else 'read'} {one.date})")
    if one.note:
        say(f"  {one.note}")
    say("  " + ", ".join(f"{format_size(size)} {value:g}" for size, value in one.rows) + " GB/s")


def _source_cells(one: Source) -> list[str]:
    sizes = dict.fromkeys(format_size(size) for size, _ in (one.rows[0], one.rows[-1]))
    return [
        one.id,
        one.gpu,
        one.collective,
        f"{one.ranks} on {plural(one.nodes, 'node')}",
        " to ".join(sizes),
        f"{max(value for _, value in one.rows):g}",
        one.date,
        "site" if one.site else "published",
    ]


def _say_file(path: str, reading: Reading, document: dict[str, Any], explained: dict[int, Judgement]) -> None:
    name = "standard input" if path == STDIN else path
    if reading.refused is not None:
        say(f"{name}: refused. {reading.refused}")
        return
    say(f"{name}: {plural(len(reading.runs), 'run')}")
    for run, told in zip(reading.runs, document["runs"], strict=True):
        say()
        _say_run(run, told)
        if id(run) in explained and not run.refused:
            say_references(with_values(explained[id(run)]))


def _say_run(run: Run, told: dict[str, Any]) -> None:
    if run.refused is not None:
        say(f"Refused. {run.refused}")
        return
    say(_headline(run, told["machine"]))
    for note in run.notes:
        say(f"  {note}")
    say_table(_HEADINGS, [[cell(row) for cell in _CELLS] for row in told["rows"]])
    flagged = sum(bool(row.flags) for row in run.rows)
    wrong = sum(bool(row.wrong) for row in run.rows)
    checks = [plural(len(run.rows), "row") + " read"]
    checks += [f"{flagged} marked, which count for nothing"] if flagged else ["none contradicts itself"]
    checks += [f"{wrong} with wrong elements"] if wrong else []
    say(f"{', '.join(checks)}.")
    say(told["judgement"]["sentence"])


def _headline(run: Run, machine: dict[str, Any]) -> str:
    what = run.collective or run.test or "unknown collective"
    ranks = f"{run.ranks} ranks (from {run.ranks_from})" if run.ranks else "ranks unknown"
    parts = [f"Line {run.line}: {what}", ranks, run.tool]
    if machine["gpu"]:
        parts.append(machine["gpu"])
    if machine["nodes"] and machine["gpus_per_node"]:
        parts.append(f"{plural(machine['nodes'], 'node')} of {plural(machine['gpus_per_node'], 'GPU')}")
    parts += [f"{name} {version}" for name, version in machine["versions"].items()]
    states = [word for word, is_so in (("PARTIAL", run.partial), ("FAILED", run.failed)) if is_so]
    return ", ".join([*parts, *states])


def _shown(name: str) -> Callable[[dict[str, Any]], str]:
    return lambda row: "-" if row[name] is None else f"{row[name]:.10g}"


_CELLS: tuple[Callable[[dict[str, Any]], str], ...] = (
    lambda row: format_size(row["size_bytes"]),
    lambda row: "in place" if row["in_place"] else "out of place",
    lambda row: row["dtype"] or "-",
    _shown("time_us"),
    _shown("algbw_gb_per_s"),
    _shown("busbw_gb_per_s"),
    _shown("wrong"),
    lambda row: "; ".join(f"not {flag}" if "=" in flag else flag for flag in row["flags"]),
)
