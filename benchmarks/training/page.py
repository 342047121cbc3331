"""Write the figures of results/training*.json into docs/training.md, between the page's markers.

``<!-- measured NAME -->`` … ``<!-- end -->``; the text outside of them is written by hand.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.command import Parser, exit_with
from benchmarks.report import RESULTS, say
from benchmarks.training.rounds import Outcome

PAGE = Path(__file__).parents[2] / "docs" / "training.md"
# The heading of each figure's column, and the factor to its unit.
_COLUMNS = {
    "step_us": ("step, ms", 1e-3),
    "exposed_us": ("of it exposed communication, ms", 1e-3),
    "samples_per_second": ("samples/s", 1.0),
    "sent_bytes_per_step": ("sent by a rank per step, KiB", 1 / 1024),
    "seconds_to_target": ("s to the target accuracy", 1.0),
    "validation_accuracy": ("accuracy at the end, %", 100.0),
}
MARKED = re.compile(r"(<!-- measured (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill() -> Path:
    """Put the committed results into the page."""
    PAGE.write_text(filled(PAGE.read_text(), results()))
    return PAGE


def results() -> dict[str, Any]:
    """The committed documents by their names."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(RESULTS.glob("training*.json"))}


def filled(page: str, documents: Mapping[str, Any]) -> str:
    """The page with what the documents hold; KeyError for a marker without anything."""
    made = tables(documents)
    return MARKED.sub(lambda found: f"{found[1]}{made[found[2]]}\n{found[3]}", page)


def tables(documents: Mapping[str, Any]) -> dict[str, str]:
    """Return a table for every comparison and the targets of every document, in Markdown, by their names."""
    made: dict[str, str] = {}
    for name, document in documents.items():
        if document["targets"]:
            made[f"{name}_targets"] = targets_table(document["targets"])
        made[f"{name}_run"] = _run(document)
        for title, (heading, *lines) in document.get("tables", {}).items():
            made[title] = table(heading, lines)
        for comparison, outcome in document["comparisons"].items():
            made[comparison] = _comparison(Outcome(outcome["rounds"], outcome["left_out"]))
    return made


def _comparison(outcome: Outcome) -> str:
    columns = {
        figure: column
        for figure, column in _COLUMNS.items()
        if all(len(figures.get(figure, ())) > 1 for figures in outcome.rounds.values())
    }
    lines = [
        (name, *(str(outcome.spread(name, figure).scaled(scale)) for figure, (_, scale) in columns.items()))
        for name in outcome.rounds
    ]
    shown = table(("", *(title for title, _ in columns.values())), lines)
    left_out = [f"`{name}` took no part: {sentence}" for name, sentence in outcome.left_out.items()]
    return "\n\n".join([shown, *left_out])


def targets_table(targets: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of targets with what was asked and measured, in Markdown."""
    return table(
        ("", "asked", "measured", ""),
        [
            (
                target["name"],
                f"{'at most' if target['at_most'] else 'at least'} {target['wanted']:g}",
                f"{target['got']:.3g}",
                "met" if target["met"] else "missed",
            )
            for target in targets
        ],
    )


def _run(document: Mapping[str, Any]) -> str:
    machine, versions = document["machine"], document["machine"]["versions"]
    found = [comparison["conditions"] for comparison in document["comparisons"].values()] or [document["conditions"]]
    shares = [conditions["others_share"] for conditions in found]
    low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
    return (
        f"Run of {min(conditions['started_at'] for conditions in found)} on {machine['cores']} cores of "
        f"{machine['cpu']}, Linux {machine['kernel']}, PyTorch {versions['torch']}, MPICH {versions['mpich']}. Other "
        f"processes took {low if low == high else f'{low} to {high}'} of the cores meanwhile."
    )


def table(heading: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown; its first column holds words, the others numbers."""
    aligned = ["---", *["---:"] * (len(heading) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heading, aligned, *lines))


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the page, and say which."""
    Parser(__doc__).parse_args(arguments)
    say(f"written: {fill()}")
    return 0


if __name__ == "__main__":
    exit_with(main)
