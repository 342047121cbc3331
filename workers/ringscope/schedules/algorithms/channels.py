"""Channels: several parallel copies of a schedule, each with its part of the buffer and its own path.

A ring through several nodes leaves each of them through one rank, and so through one of its network cards. In channel k
the ranks of every node are rotated by k+1, so that it leaves through local rank k and enters the next node through
local rank k+1: with as many channels as cards all cards are busy. NCCL does the same (its "rings", one for each card or
more). Rank r owns the same chunks, and every rank sends as much as without channels. A chain from or to a root begins
or ends at the root's position in each of these rings.
"""

from collections.abc import Callable, Sequence

from ringscope.schedules.schedule import Chunk, Schedule, Transfer, aligned

Nodes = Sequence[Sequence[int]]
Cut = Callable[[int, int], tuple[Chunk, ...]]


def in_channels(
    builder: Callable[..., Schedule],
    ranks: int,
    count: int,
    nodes: Nodes,
    channels: int,
    chunks_are_ranks: bool,
    root: int | None = None,
    cut: Cut = aligned,
) -> Schedule:
    """Return ``builder``'s schedule for ``ranks`` in ``channels``; ValueError if a node has fewer ranks than channels.

    ``chunks_are_ranks``: the builder's chunks belong to its ranks in turn, equally many to each, and are rotated with
    the ranks. The number of steps of a builder with a ``root`` does not depend on the root. ``cut`` makes the chunks
    that the channels share.
    """
    fewest = min(map(len, nodes))
    if not 1 <= channels <= fewest:
        raise ValueError(
            f"channels: {channels} cannot each leave a node of {fewest} through a different rank; give 1 to {fewest}."
        )
    places = [rotated(nodes, channel + 1) for channel in range(channels)]
    roots = [{} if root is None else {"root": rank_at.index(root)} for rank_at in places]
    bases = [builder(ranks, -(-count // channels), **given) for given in roots]
    base = bases[0]
    each = len(base.chunks) // ranks if chunks_are_ranks else 0
    steps: list[list[Transfer]] = [[] for _ in base.steps]
    outputs: list[set[int]] = [set() for _ in range(ranks)]
    for channel, (rank_at, own) in enumerate(zip(places, bases, strict=True)):
        chunks = range(len(base.chunks))
        moved = [rank_at[chunk // each] * each + chunk % each for chunk in chunks] if each else chunks
        piece = [chunk * channels + channel for chunk in moved]
        for step, found in zip(own.steps, steps, strict=True):
            found += [Transfer(t.phase, t.step, piece[t.chunk], rank_at[t.src], rank_at[t.dst], t.reduce) for t in step]
        for rank, owned in zip(rank_at, own.outputs or (), strict=False):
            outputs[rank].update(piece[chunk] for chunk in owned)
    return Schedule(
        ranks,
        tuple(
            Chunk(whole.offset + part.offset, part.length)
            for whole in cut(count, len(base.chunks))
            for part in aligned(whole.length, channels)
        ),
        tuple(map(tuple, steps)),
        None if base.outputs is None else tuple(map(frozenset, outputs)),
    )


def rotated(nodes: Nodes, by: int) -> list[int]:
    """Return all ranks node by node, with the ranks of each node rotated."""
    return [node[(place + by) % len(node)] for node in nodes for place in range(len(node))]
