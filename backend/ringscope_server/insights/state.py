"""The active insights, in memory: for /metrics, which must answer while the database is busy."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ringscope_server.insights.kinds import KINDS


@dataclass(frozen=True)
class ActiveInsight:
    """An active insight; rank and node are empty if it is about neither."""

    id: int
    job_id: int
    kind: str
    rank: int | None
    node: str | None


class InsightState:
    """The active insights, replaced as a whole by the insights' loop of this server."""

    def __init__(self) -> None:
        self.active: Sequence[ActiveInsight] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Return the number of active insights of each kind, 0 included."""
        counted = Counter(insight.kind for insight in self.active)
        return {kind: counted[kind] for kind in KINDS}
