"""The tables of docs/diagnosis.md: made from results/diagnosis.json, put between the page's markers."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.command import Parser, exit_with
from benchmarks.report import RESULTS, say
from benchmarks.training.page import MARKED, table, targets_table

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
    return made | {"diagnosis_targets": targets_table(document["targets"])}


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the page, and say which."""
    Parser(__doc__).parse_args(arguments)
    say(f"written: {fill()}")
    return 0


if __name__ == "__main__":
    exit_with(main)
