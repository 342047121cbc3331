"""Parameter server, synchronous: S of the ranks are also servers; server s owns chunk s, sums the pushes of all ranks,
and answers their pulls.

A rank pushes its whole buffer except its own chunk, and a server answers every rank. One server is the textbook case,
whose link carries 2(p-1) buffers (the transfers of ``naive``); p servers send as little as the ring (the transfers of
``direct``). Servers may also be separate machines. Source: Li et al. 2014; Jiang et al. 2020 (BytePS) on the number of
servers.
"""

from ringscope.schedules.schedule import Schedule, Transfer, aligned, joined


def parameter_server(ranks: int, count: int, servers: int = 1) -> Schedule:
    """All-reduce of ``count`` elements with ``servers`` of the ranks as servers, spread evenly; more servers than
    ranks means all ranks.
    """
    servers = min(servers, ranks)
    place = [server * ranks // servers for server in range(servers)]
    push = (
        [Transfer("push", 0, s, (rank + shift) % ranks, rank, True) for s, rank in enumerate(place)]
        for shift in range(1, ranks)
    )
    pull = (
        [Transfer("pull", 0, s, rank, (rank + shift) % ranks, False) for s, rank in enumerate(place)]
        for shift in range(1, ranks)
    )
    return Schedule(ranks, aligned(count, servers), joined(push, pull))


def separate_servers(workers: int, count: int, servers: int = 1) -> Schedule:
    """All-reduce of ``count`` elements over ``workers`` ranks with ``servers`` additional ranks, which hold no
    gradient.

    The servers are the last ranks: they store the first push of a chunk instead of adding it, and they have no result.
    A worker pushes to a different server in every round, so that all ports are busy. This schedule is for the model and
    for ``virtual``; a benchmark's servers are among its ranks, because each of its ranks has a gradient.
    """
    if workers < 2:
        return Schedule(workers + servers, aligned(count, servers), ())
    rounds = max(workers, servers)
    pairs = [[(s, w) for s in range(servers) if (w := (s + turn) % rounds) < workers] for turn in range(rounds)]
    first = {s: next(turn for turn, pair in enumerate(pairs) if s in dict(pair)) for s in range(servers)}
    push = [
        [Transfer("push", 0, s, w, workers + s, reduce=turn > first[s]) for s, w in pair]
        for turn, pair in enumerate(pairs)
    ]
    pull = [[Transfer("pull", 0, s, workers + s, w, False) for s, w in pair] for pair in pairs]
    every = frozenset(range(servers))
    outputs = (every,) * workers + (frozenset[int](),) * servers
    return Schedule(workers + servers, aligned(count, servers), joined(push, pull), outputs)
