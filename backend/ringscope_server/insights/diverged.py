"""Diverged training: a loss or parameters that are not finite, which a rank reports as soon as it sees them. Pure."""

import json
from collections.abc import Iterable

from ringscope.contracts.training_record import Diverged
from ringscope_server.insights.kinds import Finding


def of_records(told: Iterable[Diverged], node: str) -> list[Finding]:
    """Return one finding for the job, with the first rank of this node that reported it."""
    first = min(told, key=lambda one: (one.step, one.rank), default=None)
    if first is None:
        return []
    # JSON has no notation for what is not finite, and some databases reject it: it is text, as on its way here.
    evidence = json.loads(first.model_dump_json(exclude={"type", "rank"}))
    return [Finding("diverged", first.sentence, first.rank, node, evidence)]
