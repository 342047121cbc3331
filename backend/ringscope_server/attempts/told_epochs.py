"""What the epochs of finished training say against what was asked for: each was told, up to the last one. Pure."""

from collections.abc import Mapping

from ringscope.contracts.training import TrainingSpec


def fault(spec: TrainingSpec, steps: Mapping[int, int], goes_on: bool) -> str:
    """Why these are not the epochs that the specification asks for, in a sentence; empty if they are.

    Args:
        steps: done at the end of each epoch that was told.
        goes_on: it may have begun from a checkpoint: who made that has told the epochs before the first one here.
    """
    known = {*steps, *(range(1, min(steps, default=1)) if goes_on else ())}
    last = max(known, default=0)
    is_at_end = last >= spec.epochs or (spec.max_steps is not None and steps.get(last, 0) >= spec.max_steps)
    if is_at_end and len(known) == last:
        return ""
    return f"The ranks ended, but only {len(known)} of {spec.epochs} epochs were told."
