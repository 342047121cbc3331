"""All pairs of some nodes in rounds of disjoint pairs, by the circle method. Pure."""

from collections.abc import Sequence

Pair = tuple[str, str]


def all_pairs(nodes: Sequence[str]) -> list[list[Pair]]:
    """Return rounds that have each pair of nodes exactly once, and no node twice in a round.

    There are N - 1 rounds of N / 2 pairs for an even number of nodes. For an odd number there are N rounds, and in each
    round another node rests. The circle method holds the first place and turns the others by one place per round.
    """
    places: list[str | None] = list(nodes)
    if len(set(nodes)) != len(nodes):
        raise ValueError("a node is named twice")
    if len(places) % 2:
        places.append(None)
    rounds = []
    for _ in range(len(places) - 1):
        half = len(places) // 2
        pairs = zip(places[:half], reversed(places[half:]), strict=True)
        rounds.append([(first, second) for first, second in pairs if first is not None and second is not None])
        places.insert(1, places.pop())
    return rounds if len(nodes) > 1 else []
