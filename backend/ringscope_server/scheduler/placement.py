"""Where a gang fits: a pure function of the placement asked for and the free slots."""

from collections.abc import Sequence
from dataclasses import dataclass

from ringscope.spec import Placement


@dataclass(frozen=True)
class NodeSlots:
    """A node and those of its slots that may be given away."""

    id: int
    name: str
    labels: dict[str, str]
    free: tuple[int, ...]

    def carries(self, selector: dict[str, str]) -> bool:
        """Whether the node has every label of the selector."""
        return selector.items() <= self.labels.items()


@dataclass(frozen=True)
class Share:
    """One node's part of a gang: which of its slots."""

    node_id: int
    slots: tuple[int, ...]


def place(placement: Placement, nodes: Sequence[NodeSlots]) -> list[Share] | None:
    """Slots for every rank, or None when the gang does not fit as a whole.

    Fewest nodes first, since a link is slower than shared memory; of several nodes that fit, the fullest one, which
    keeps large holes open for large gangs.
    """
    eligible = [node for node in nodes if node.carries(placement.selector)]
    by_room = sorted(eligible, key=lambda node: (-len(node.free), node.id))
    sizes = _share_sizes(placement, by_room)
    if sizes is None or len(sizes) > len(by_room):
        return None
    if len(sizes) == 1:
        fitting = [node for node in by_room if len(node.free) >= sizes[0]]
        by_room = fitting[-1:]
    if not by_room or any(len(node.free) < size for node, size in zip(by_room, sizes, strict=False)):
        return None
    return [Share(node.id, node.free[:size]) for node, size in zip(by_room, sizes, strict=False)]


def _share_sizes(placement: Placement, by_room: Sequence[NodeSlots]) -> list[int] | None:
    """How many ranks each of the roomiest nodes gets, largest share first."""
    ranks = placement.ranks
    if placement.ranks_per_node:
        return [placement.ranks_per_node] * (ranks // placement.ranks_per_node)
    if placement.nodes:
        share, rest = divmod(ranks, placement.nodes)
        return [share + (i < rest) for i in range(placement.nodes)]
    sizes: list[int] = []
    for node in by_room:
        if ranks == 0:
            break
        sizes.append(min(len(node.free), ranks))
        ranks -= sizes[-1]
    return sizes if ranks == 0 else None
