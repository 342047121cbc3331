"""The GPUs that a job's ranks see: those of its slots, so that two jobs share none unasked. Pure."""

from collections.abc import Mapping, Sequence

from ringscope_agent.gpus import own_gpus


def visible_gpus(
    slots: Sequence[int], node_slots: int, gpus: Sequence[str], inherited: Mapping[str, str], *, may_share: bool = True
) -> str | None:
    """Return the value of CUDA_VISIBLE_DEVICES for the ranks on some slots; None: leave it as it is.

    The node's GPUs are divided among its slots in order: with as many slots as GPUs each slot has one, with fewer slots
    each has several, with more some share one. An agent that sees only some GPUs divides those.

    Args:
        slots: the numbers of the job's slots here; empty if they are not known.
        node_slots: all slots of the node.
        gpus: the UUIDs of the node's GPUs: CUDA and the driver do not number them alike.
        may_share: divide the GPUs also if there are fewer than slots, so that ranks share one.
    """
    names = own_gpus(gpus, inherited)
    if not slots or not names or max(slots) >= node_slots:
        return None
    if node_slots > len(names) and not may_share:
        return None
    count = len(names)
    found: list[int] = []
    for slot in slots:
        first = slot * count // node_slots
        found += range(first, max(first + 1, (slot + 1) * count // node_slots))
    return ",".join(names[index] for index in dict.fromkeys(found))
