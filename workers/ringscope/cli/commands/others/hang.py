"""`ringscope hang` reads dumps of PyTorch's Flight Recorder and says which rank is missing in which operation."""

import gc
import json
from pathlib import Path
from typing import Annotated

import typer

from ringscope.cli.console import EXIT_FAILED, say, say_json
from ringscope.contracts.errors import UserError
from ringscope.contracts.words.units import plural
from ringscope.hangs.document import document
from ringscope.hangs.dumps import MOST_BYTES, RefusedError, read_dump
from ringscope.hangs.model import Dump
from ringscope.hangs.sentences import answer, details, pair_sentence, ranks_words, sentence
from ringscope.hangs.verdict import Verdict, explain


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(hang)


def hang(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="The dumps of all ranks, or folders that have only dumps.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Read Flight Recorder dumps of all ranks, and say which rank is missing in which operation.

    It reads the pickles that PyTorch writes when a collective times out (TORCH_FR_DUMP_TEMP_FILE) and its JSON, of
    nccl and of gloo. A file's name ends with its rank: dump_3, rank_3.json. Pickles are loaded only if they have plain
    data. The exit code is 0 if nothing was found, 1 if something was, 2 if a file cannot be used.
    """
    gc.disable()  # with many dumps the collector takes half of the time, and nothing here is a cycle
    try:
        verdict = explain(_dumps([path for given in files for path in _expanded(given)]))
    finally:
        gc.enable()
    if as_json:
        say_json(json.dumps(document(verdict), indent=2))
    else:
        _say(verdict)
    if not verdict.is_clean:
        raise typer.Exit(EXIT_FAILED)


def _expanded(path: Path) -> list[Path]:
    """Return the files of a folder, or the file itself."""
    if not path.is_dir():
        return [path]
    found = sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
    if not found:
        raise UserError(f"{path}: the folder has no files; name the dumps of all ranks.")
    return found


def _dumps(paths: list[Path]) -> list[Dump]:
    """Return the dump of each rank; UserError with a sentence for each file that cannot be used."""
    refused: list[str] = []
    found: dict[int, Dump] = {}
    for path in paths:
        try:
            with path.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
            dump = read_dump(str(path), content)
        except OSError as error:
            refused.append(f"{path}: it cannot be read ({error.strerror}); name the dumps of all ranks.")
        except RefusedError as error:
            refused.append(f"{path}: {error}")
        else:
            if dump.rank in found:
                both = f"{found[dump.rank].path} and {path}"
                refused.append(f"{both}: both are of rank {dump.rank}; give one dump of each rank.")
            found.setdefault(dump.rank, dump)
    if refused:
        raise UserError(*refused)
    if len(found) == 1:
        (only,) = found.values()
        raise UserError(f"{only.path}: one dump shows only what its rank waits in; give the dumps of all ranks.")
    return list(found.values())


def _say(verdict: Verdict) -> None:
    say(answer(verdict))
    for finding in verdict.findings[:1]:
        for line in details(finding):
            say(f"  {line}")
    others = [sentence(one) for one in verdict.findings[1:]]
    others += [pair_sentence(one) for one in verdict.pairs[0 if verdict.findings else 1 :]]
    for line in others:
        say(line)
    if not verdict.is_clean:
        say(f"{plural(verdict.compared, 'operation')} of {plural(len(verdict.ranks), 'rank')} were compared.")
    if verdict.without_dump:
        say(f"There is no dump of {ranks_words(verdict.without_dump)}.")
