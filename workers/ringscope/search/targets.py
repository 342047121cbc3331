"""Runs to the target accuracy by the candidates that are left: which is next, and when they end. Pure.

Each run trains from the first parameters for a number of epochs, and the first epoch that reaches the accuracy counts.
No strategy needs to stop early for that. All candidates train for the same few epochs first, then those that have not
reached the accuracy for more.
"""

from collections.abc import Sequence

from ringscope.contracts.search.record import SearchTarget
from ringscope.contracts.search.spec import StrategySearchSpec

EPOCHS = (4, 16, 64, 256)
_MOST_FAILURES = 2
_SHARE_OF_ROUNDS = 0.5  # part of the budget, if runs to the target follow


def rounds_share(spec: StrategySearchSpec) -> float:
    """Return the part of the budget that the rounds of short runs may use."""
    return 1.0 if spec.target_accuracy is None else _SHARE_OF_ROUNDS


def next_target(left: Sequence[str], targets: Sequence[SearchTarget], seconds_left: float) -> tuple[str, int] | None:
    """Return the candidate that runs next, and for how many epochs; None if the runs to the target are over.

    ``targets`` are the runs so far. A candidate does not go on if its epochs have taken longer already than the fastest
    one needs, and no run begins that would take longer than ``seconds_left``, by the candidate's last one.
    """
    for epochs in EPOCHS:
        for name in left:
            tries = [each for each in targets if each.candidate == name]
            done = [each for each in tries if not each.failure]
            is_over = (
                any(each.seconds_to_target is not None for each in done) or len(tries) - len(done) >= _MOST_FAILURES
            )
            if is_over or any(each.epochs >= epochs for each in done) or _is_beaten(done, targets):
                continue
            if (done and done[-1].seconds * epochs / done[-1].epochs > seconds_left) or seconds_left <= 0:
                continue
            return name, epochs
    return None


def final(targets: Sequence[SearchTarget]) -> dict[str, SearchTarget]:
    """Return the longest successful run of each candidate."""
    return {each.candidate: each for each in sorted(targets, key=lambda each: each.epochs) if not each.failure}


def _is_beaten(done: Sequence[SearchTarget], targets: Sequence[SearchTarget]) -> bool:
    reached = [each.seconds_to_target for each in targets if each.seconds_to_target is not None]
    return bool(done) and bool(reached) and done[-1].steps_seconds >= min(reached)
