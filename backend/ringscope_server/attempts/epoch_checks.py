"""The check of a finished training's epochs against its specification: each was reported, up to the last one. Pure."""

from collections.abc import Mapping

from ringscope.contracts.training import TrainingSpec


def fault(spec: TrainingSpec, steps: Mapping[int, int], goes_on: bool) -> str:
    """Return a sentence on why these are not the requested epochs; empty if they are.

    Args:
        steps: the steps done at the end of each reported epoch.
        goes_on: whether it may have begun from a checkpoint; then an earlier attempt has reported the epochs before.
    """
    known = {*steps, *(range(1, min(steps, default=1)) if goes_on else ())}
    last = max(known, default=0)
    is_at_end = last >= spec.epochs or (spec.max_steps is not None and steps.get(last, 0) >= spec.max_steps)
    if is_at_end and len(known) == last:
        return ""
    return f"The ranks ended, but only {len(known)} of {spec.epochs} epochs were told."
