"""Folding: algorithms for a power of two with surplus ranks (Thakur, Rabenseifner and Gropp 2005).

With a surplus of s, every even rank of the first 2s sends its whole buffer to its odd neighbour before the algorithm,
and receives the result from it afterwards.
"""

from ringscope.schedules.schedule import Transfer

Steps = list[list[Transfer]]


def fold(ranks: int, chunks: int) -> tuple[list[int], Steps, Steps]:
    """Return the ranks that take part, the largest power of two of them, and the steps before and after."""
    surplus = ranks - (1 << (ranks.bit_length() - 1))
    participants = [2 * i + 1 for i in range(surplus)] + list(range(2 * surplus, ranks))
    before = [Transfer("fold", 0, chunk, 2 * i, 2 * i + 1, True) for i in range(surplus) for chunk in range(chunks)]
    after = [Transfer("unfold", 0, chunk, 2 * i + 1, 2 * i, False) for i in range(surplus) for chunk in range(chunks)]
    return participants, [before], [after]
