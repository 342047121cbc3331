"""The kinds of insights, and what a detector finds. Pure."""

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Kind = Literal["straggler", "late_rank", "slow_link", "hang", "desync", "wrong_result", "low_bandwidth", "diverged"]
KINDS: tuple[Kind, ...] = get_args(Kind)

MAX_ACTIVE = 16  # of one job: with a hundred slow ranks it is not the ranks
# What tells two insights of a kind in one job apart.
_OF_A_RANK = ("straggler", "late_rank", "wrong_result")
_OF_A_NODE = ("slow_link",)

Key = tuple[str, int | str | None]


@dataclass(frozen=True)
class Finding:
    """Something that a detector holds to be wrong now.

    Args:
        windows: in so many windows in a row it must be found before it is told.
        is_own_doing: of a hang: the program itself is wrong, so that another try would end the same way.
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
        """The same again is the same insight."""
        return key_of(self.kind, self.rank, self.node)


def key_of(kind: str, rank: int | None, node: str | None) -> Key:
    """What an insight is about, within its job."""
    return kind, rank if kind in _OF_A_RANK else node if kind in _OF_A_NODE else None
