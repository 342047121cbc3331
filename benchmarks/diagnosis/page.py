"""The tables of docs/diagnosis.md: made from results/diagnosis.json, put between the page's markers."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.command import Parser, exit_with
from benchmarks.report import RESULTS, say
from benchmarks.training.page import MARKED, table, targets_table

LAB = RESULTS / "diagnosis_lab.jsonl"
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
        heading, *lines = lab_rows(runs_of(LAB))
        made["diagnosis_lab"] = table(heading, lines)
    return made | {"diagnosis_targets": targets_table(document["targets"])}


def runs_of(file: Path) -> list[dict[str, Any]]:
    """Return the runs on labs that a file has, a JSON document in each line; none if there is no such file."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def lab_rows(runs: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return the table of results: heading, then a row for each kind, and one for all faults."""
    by_kind: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for run in runs:
        by_kind[run["kind"]].append(run)
    made = [["planted", "right", "rounds", "seconds"]]
    made += [_lab_row(kind, of_kind) for kind, of_kind in sorted(by_kind.items())]
    return [*made, _lab_row("all", runs)]


def _lab_row(name: str, runs: Sequence[Mapping[str, Any]]) -> list[str]:
    right = sum(run["right"] for run in runs)
    rounds, seconds = ([float(run[key]) for run in runs] for key in ("rounds", "seconds"))
    return [name, f"{right} of {len(runs)}", _span(rounds), _span(seconds)]


def _span(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:.0f}" if f"{low:.0f}" == f"{high:.0f}" else f"{low:.0f} to {high:.0f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the page, and say which."""
    parser = Parser(__doc__)
    parser.add_argument("--lab", type=Path, metavar="FILE", help=f"runs on labs to keep as {LAB}")
    asked = parser.parse_args(arguments)
    if asked.lab is not None:
        LAB.write_text("".join(json.dumps(run) + "\n" for run in runs_of(asked.lab)))
    say(f"written: {fill()}")
    return 0


if __name__ == "__main__":
    exit_with(main)
