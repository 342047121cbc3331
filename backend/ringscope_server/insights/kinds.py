"""The kinds of insights, and the finding of a detector. Pure."""

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Kind = Literal[
    "straggler",
    "late_rank",
    "slow_link",
    "hang",
    "desync",
    "wrong_result",
    "low_bandwidth",
    "diverged",
    "memory_growth",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

MAX_ACTIVE = 16  # most active insights of a job; if a hundred ranks are slow, the ranks are not the cause
# The fields that distinguish two insights of a kind in one job.
_OF_A_RANK = ("straggler", "late_rank", "wrong_result")
_OF_A_NODE = ("slow_link",)

Key = tuple[str, int | str | None]


@dataclass(frozen=True)
class Finding:
    """A problem that a detector sees now.

    Args:
        windows: the number of windows in a row in which it must be found before it is reported.
        is_own_doing: for a hang, whether the program itself is wrong, so that another attempt would end the same way.
    """

    kind: Kind
    message: str
    rank: int | None = None
    node: str | None = None
    evidence: dict[str, Any] = field(default_factory=dict)
    windows: int = 1
    is_own_doing: bool = False

    @property
    def key(self) -> Key:
        """The identity of the insight: a finding with the same key is the same insight."""
        return key_of(self.kind, self.rank, self.node)


def key_of(kind: str, rank: int | None, node: str | None) -> Key:
    """Return the key of what an insight is about, within its job."""
    return kind, rank if kind in _OF_A_RANK else node if kind in _OF_A_NODE else None
