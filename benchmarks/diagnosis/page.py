"""The tables of docs/diagnosis.md: made from results/diagnosis.json, put between the page's markers."""

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.command import Parser, exit_with
from benchmarks.report import RESULTS, say
from benchmarks.training.page import MARKED, table, targets_table

LAB = RESULTS / "diagnosis_lab.json"
PAGE = Path(__file__).parents[2] / "docs" / "diagnosis.md"


def fill() -> Path:
    """Put the committed results into the page; without results it stays as it is."""
    if (RESULTS / "diagnosis.json").exists():
        PAGE.write_text(filled(PAGE.read_text(), result()))
    return PAGE


def result() -> dict[str, Any]:
    """The committed document."""
    document: dict[str, Any] = json.loads((RESULTS / "diagnosis.json").read_text())
    return document


def filled(page: str, document: dict[str, Any]) -> str:
    """The page with what the document holds; KeyError for a marker without anything."""
    made = tables(document)
    return MARKED.sub(lambda found: f"{found[1]}{made[found[2]]}\n{found[3]}", page)


def tables(document: dict[str, Any]) -> dict[str, str]:
    """Return all tables in Markdown by their names."""
    made = {name: table(heading, lines) for name, (heading, *lines) in document["tables"].items()}
    if LAB.exists():
        heading, *lines = lab_rows(json.loads(LAB.read_text())["runs"])
        made["diagnosis_lab"] = table(heading, lines)
    return made | {"diagnosis_targets": targets_table(document["targets"])}


def lab_rows(runs: Sequence[dict[str, object]]) -> list[list[str]]:
    """Return the table of results: heading, then a row for each kind."""
    by_kind: dict[str, list[dict[str, object]]] = defaultdict(list)
    for run in runs:
        by_kind[str(run["kind"])].append(run)
    made = [["planted", "right", "rounds", "seconds"]]
    for kind, of_kind in by_kind.items():
        right = sum(bool(run["right"]) for run in of_kind)
        rounds, seconds = ([float(str(run[key])) for run in of_kind] for key in ("rounds", "seconds"))
        made.append([kind, f"{right} of {len(of_kind)}", _span(rounds), _span(seconds)])
    return made


def _span(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:.0f}" if f"{low:.0f}" == f"{high:.0f}" else f"{low:.0f} to {high:.0f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the page, and say which."""
    Parser(__doc__).parse_args(arguments)
    say(f"written: {fill()}")
    return 0


if __name__ == "__main__":
    exit_with(main)
