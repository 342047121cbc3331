"""A whole diagnosis of a simulated fabric."""

import gc
from dataclasses import dataclass
from time import thread_time

from benchmarks.diagnosis.fabric import Fabric

from ringscope.diagnosis.answers import Round
from ringscope.diagnosis.belief import Belief
from ringscope.diagnosis.planning import next_step
from ringscope.diagnosis.verdict import Verdict


@dataclass(frozen=True)
class Diagnosed:
    """A verdict, all rounds, and the longest time that one of them took to plan."""

    verdict: Verdict
    rounds: tuple[Round, ...]
    longest_plan_s: float

    def names(self) -> set[tuple[str, tuple[str, ...]]]:
        """Return each blamed kind with its names; a link's in order."""
        return {
            (blame.kind.value, tuple(sorted(blame.names)) if blame.kind == "link" else blame.names)
            for blame in self.verdict.blamed
        }


def names(count: int) -> tuple[str, ...]:
    """Return the names of this number of nodes."""
    return tuple(f"h{index}" for index in range(count))


def diagnose(fabric: Fabric, has_labels: bool | None = None, all_links: bool = False) -> Diagnosed:
    """Diagnose the fabric; the racks are known if there are several, or as ``has_labels`` says."""
    known = fabric.racks > 1 if has_labels is None else has_labels
    belief = Belief.of(fabric.nodes, fabric.rack_of if known else None, all_links=all_links)
    longest_s = 0.0
    gc.freeze()  # the garbage collector would look through the diagnoses that this benchmark keeps while it plans
    while True:
        began_s = thread_time()
        step = next_step(belief)
        longest_s = max(longest_s, thread_time() - began_s)
        if isinstance(step, Verdict):
            return Diagnosed(step, tuple(heard.round for heard in belief.heard), longest_s)
        belief = belief.after(step, fabric.answer(step))
