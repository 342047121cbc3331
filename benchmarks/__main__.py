"""``python benchmarks [PART …]``: measure the engine on this machine, beside its peers and its limits.

Each part prints its table and the targets that it is held to, and writes results/PART.json; at the end there is one
picture of all and one list of all targets. A missed target is no error: see what else the machine did meanwhile.
"""

import signal
import sys

import links
import model
import one_node
import plot
import training
import training_links
import training_numbers
import untuned
from report import Result, say, say_targets

PARTS = {
    "one_node": one_node.run,
    "links": links.run,
    "model": model.run,
    "training": training.run,
    "training_links": training_links.run,
    "untuned": untuned.run,
}


def main(names: list[str]) -> int:
    """Run the named parts, or all; 2 for an unknown name."""
    unknown = sorted(set(names) - PARTS.keys())
    if unknown:
        say(f"parts: there is no {', '.join(unknown)}; choose from {', '.join(PARTS)}.")
        return 2
    # Being told to stop must pass through the context managers that take down namespaces and ranks.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    results: list[Result] = []
    for name in names or PARTS:
        result = PARTS[name]()
        if result is not None:
            result.save()
            results.append(result)
    picture = plot.draw()
    training_numbers.fill()
    say("\nplot: " + (str(picture) if picture else "left out, matplotlib is not installed; pip install --group bench."))
    say("\nall targets")
    for result in results:
        say_targets(result.targets)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
