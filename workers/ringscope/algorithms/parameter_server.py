"""Parameter server, synchronous: S of the ranks also serve; server s owns chunk s, adds up what all push, is pulled.

A rank pushes its whole buffer but for its own chunk, and a server answers every rank. One server is the lecture's
case, whose link carries 2(p-1) buffers (the transfers of ``naive``); p servers send as little as the ring (those of
``direct``). Source: Li et al. 2014; Jiang et al. 2020 (BytePS) on the number of servers.
"""

from ringscope.schedule import Schedule, Transfer, joined, partition


def parameter_server(ranks: int, count: int, servers: int = 1) -> Schedule:
    """All-reduce of ``count`` elements over ``servers`` of the ranks, spread evenly; more than ranks means all."""
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
    return Schedule(ranks, partition(count, servers), joined(push, pull))
