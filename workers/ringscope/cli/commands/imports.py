"""`ringscope import` reads results of other tools, checks every row, and says what it found."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from ringscope.cli.console import EXIT_FAILED, say, say_json
from ringscope.contracts.errors import UserError
from ringscope.contracts.words.units import format_size, plural
from ringscope.imports.document import file_document
from ringscope.imports.files import Reading, read_file
from ringscope.imports.lines import MOST_BYTES
from ringscope.imports.model import Run

_HEADINGS = ("SIZE", "PLACE", "TYPE", "TIME us", "ALGBW GB/s", "BUSBW GB/s", "WRONG", "")
_STDIN = "-"


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("import")(import_)


def import_(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files with results, or - for standard input.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Store nothing; it needs no server.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Read results of nccl-tests, rccl-tests, OSU or SuperBench, and check every row.

    Each row is recomputed: a row whose printed cells contradict each other is marked and counts for nothing. What is no
    result is refused in one sentence with its line. The exit code is 1 if anything was refused, marked, partial or
    failed.
    """
    if not dry_run:
        raise UserError("import: storing results on a server is not possible yet; add --dry-run to check the files.")
    found = [(path, read_file(_content(path))) for path in files]
    documents = [file_document(path, reading, _judged) for path, reading in found]
    if as_json:
        say_json(json.dumps({"files": documents}, indent=2))
    else:
        for (path, reading), document in zip(found, documents, strict=True):
            _say_file(path, reading, document)
    if not all(reading.is_clean for _, reading in found):
        raise typer.Exit(EXIT_FAILED)


def _judged(run: Run) -> dict[str, Any]:
    """Return the judgement of a run without anything to compare it with."""
    sentence = "It is unknown what was to be expected: there is no reference."
    return {"word": "unknown", "sentence": sentence, "references": []}


def _content(path: str) -> bytes:
    """Return a file, or one byte more than the limit of a larger one."""
    if path == _STDIN:
        return sys.stdin.buffer.read(MOST_BYTES + 1)
    try:
        with Path(path).open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UserError(f"{path}: it cannot be read ({error.strerror}); name a file with results.") from None


def _say_file(path: str, reading: Reading, document: dict[str, Any]) -> None:
    name = "standard input" if path == _STDIN else path
    if reading.refused is not None:
        say(f"{name}: refused. {reading.refused}")
        return
    say(f"{name}: {plural(len(reading.runs), 'run')}")
    for run, told in zip(reading.runs, document["runs"], strict=True):
        say()
        _say_run(run, told)


def _say_run(run: Run, told: dict[str, Any]) -> None:
    if run.refused is not None:
        say(f"Refused. {run.refused}")
        return
    say(_headline(run, told["machine"]))
    for note in run.notes:
        say(f"  {note}")
    _say_table(_HEADINGS, [[cell(row) for cell in _CELLS] for row in told["rows"]])
    flagged = sum(bool(row.flags) for row in run.rows)
    wrong = sum(bool(row.wrong) for row in run.rows)
    checks = [plural(len(run.rows), "row") + " read"]
    checks += [f"{flagged} marked, which count for nothing"] if flagged else ["none contradicts itself"]
    checks += [f"{wrong} with wrong elements"] if wrong else []
    say(f"{', '.join(checks)}.")
    say(f"{told['judgement']['word'].capitalize()}: {told['judgement']['sentence']}")


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


def _say_table(headings: Iterable[str], rows: Iterable[list[str]]) -> None:
    """Print columns that fit their cells: a table of Rich takes longer to load than all of the reading."""
    lines = [list(headings), *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        say("  ".join(_aligned(line, widths)).rstrip())


def _aligned(line: list[str], widths: list[int]) -> Iterator[str]:
    for i, (cell, width) in enumerate(zip(line, widths, strict=True)):
        yield cell.ljust(width) if i in (0, 1, 2, len(widths) - 1) else cell.rjust(width)


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
