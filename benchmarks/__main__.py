"""The engine on this machine, measured beside its peers and its limits.

    python -m benchmarks [PART …]

Each part prints its table and the targets that it is held to, and writes results/PART.json; at the end there is one
picture of all and one list of all targets. With a missed one the exit code is 1. It need be no error of the engine: see
what else the machine did meanwhile.
"""

from collections.abc import Sequence

from benchmarks import plot
from benchmarks.command import Parser, exit_with, one_of
from benchmarks.diagnosis import page as diagnosis_numbers
from benchmarks.diagnosis import simulated
from benchmarks.engine import links, model, one_node, untuned
from benchmarks.report import Result, judged, say
from benchmarks.training import averages as training_averages
from benchmarks.training import checks as training_checks
from benchmarks.training import compiled as training_compiled
from benchmarks.training import links as training_links
from benchmarks.training import page as training_numbers
from benchmarks.training import pipeline as training_pipeline
from benchmarks.training import shares as training_shares
from benchmarks.training import strategies as training
from benchmarks.training import tensor as training_tensor
from benchmarks.training import tensor_links as training_tensor_links

PARTS = {
    "one_node": one_node.run,
    "links": links.run,
    "model": model.run,
    "training": training.run,
    "training_links": training_links.run,
    "training_checks": training_checks.run,
    "training_compiled": training_compiled.run,
    "training_averages": training_averages.run,
    "training_shares": training_shares.run,
    "training_pipeline": training_pipeline.run,
    "training_tensor": training_tensor.run,
    "training_tensor_links": training_tensor_links.run,
    "untuned": untuned.run,
    "diagnosis": simulated.run,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named parts, or all; 1 when a target is missed."""
    parser = Parser(__doc__)
    listed = f"of {', '.join(PARTS)}; all if none is named"
    parser.add_argument("parts", nargs="*", type=one_of(PARTS), metavar="PART", help=listed)
    results: list[Result] = []
    for name in parser.parse_args(arguments).parts or PARTS:
        result = PARTS[name]()
        if result is not None:
            result.save()
            results.append(result)
    picture = plot.draw()
    training_numbers.fill()
    diagnosis_numbers.fill()
    say("\nplot: " + (str(picture) if picture else "left out, matplotlib is not installed; pip install --group bench."))
    say("\nall targets")
    return judged([target for result in results for target in result.targets])


if __name__ == "__main__":
    exit_with(main)
