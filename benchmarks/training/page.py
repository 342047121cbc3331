"""What docs/training.md says training reaches: made from results/training*.json, put between the page's markers.

``<!-- measured NAME -->`` … ``<!-- end -->``; what stands outside of them is written by hand.
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
_MARKED = re.compile(r"(<!-- measured (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


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
    return _MARKED.sub(lambda found: f"{found[1]}{made[found[2]]}\n{found[3]}", page)


def tables(documents: Mapping[str, Any]) -> dict[str, str]:
    """Return a table for every comparison and the targets of every document, in Markdown, by their names."""
    made: dict[str, str] = {}
    for name, document in documents.items():
        made[f"{name}_targets"] = _targets(document["targets"])
        made[f"{name}_run"] = _run(document)
        for comparison, outcome in document["comparisons"].items():
            made[comparison] = _comparison(Outcome(outcome["rounds"], outcome["left_out"]))
    return made


def _comparison(outcome: Outcome) -> str:
    lines = []
    for name in outcome.rounds:
        step, exposed = (outcome.spread(name, figure).scaled(1e-3) for figure in ("step_us", "exposed_us"))
        lines.append((name, str(step), str(exposed), str(outcome.spread(name, "samples_per_second"))))
    table = _table(("", "step, ms", "of it exposed communication, ms", "samples/s"), lines)
    left_out = [f"`{name}` took no part: {sentence}" for name, sentence in outcome.left_out.items()]
    return "\n\n".join([table, *left_out])


def _targets(targets: Sequence[Mapping[str, Any]]) -> str:
    return _table(
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
    found = [comparison["conditions"] for comparison in document["comparisons"].values()]
    shares = [conditions["others_share"] for conditions in found]
    return (
        f"Run of {min(conditions['started_at'] for conditions in found)} on {machine['cores']} cores of "
        f"{machine['cpu']}, Linux {machine['kernel']}, PyTorch {versions['torch']}, MPICH {versions['mpich']}. Other "
        f"processes took {min(shares):.0%} to {max(shares):.0%} of the cores meanwhile."
    )


def _table(heading: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    aligned = ["---", *["---:"] * (len(heading) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heading, aligned, *lines))


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the page, and say which."""
    Parser(__doc__).parse_args(arguments)
    say(f"written: {fill()}")
    return 0


if __name__ == "__main__":
    exit_with(main)
