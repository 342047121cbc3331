"""Diverged training: a loss or parameters that are not finite, which a rank tells as soon as it sees them. Pure."""

import json
from collections.abc import Iterable

from ringscope.contracts.record import Diverged
from ringscope_server.insights.kinds import Finding


def of_records(told: Iterable[Diverged], node: str) -> list[Finding]:
    """One finding for the job, with the first rank of this node that told it."""
    first = min(told, key=lambda one: (one.step, one.rank), default=None)
    if first is None:
        return []
    # JSON has no word for what is not finite, and some databases take none: text, as on its way here.
    evidence = json.loads(first.model_dump_json(exclude={"type", "rank"}))
    return [Finding("diverged", first.sentence, first.rank, node, evidence)]
