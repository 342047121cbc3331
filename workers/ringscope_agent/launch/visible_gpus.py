"""The GPUs that a script's ranks see: those of the job's slots, so that LOCAL_RANK numbers them from 0. Pure."""

from collections.abc import Mapping, Sequence

VARIABLE = "CUDA_VISIBLE_DEVICES"


def visible_gpus(slots: Sequence[int], node_slots: int, gpus: int, inherited: Mapping[str, str]) -> str | None:
    """Return the value of CUDA_VISIBLE_DEVICES for the ranks on some slots; None: leave it as it is.

    The node's GPUs are divided among its slots in order: with as many slots as GPUs each slot has one, with fewer slots
    each has several, with more some share one. An agent that sees only some GPUs divides those.

    Args:
        slots: the numbers of the job's slots here; empty if they are not known.
        node_slots: all slots of the node.
        gpus: the number of GPUs of the node.
    """
    given = inherited.get(VARIABLE)
    names = [str(number) for number in range(gpus)] if given is None else [one.strip() for one in given.split(",")]
    names = [name for name in names if name]
    if not slots or not names or gpus == 0 or max(slots) >= node_slots:
        return None
    count = len(names)
    found: list[int] = []
    for slot in slots:
        first = slot * count // node_slots
        found += range(first, max(first + 1, (slot + 1) * count // node_slots))
    return ",".join(names[index] for index in dict.fromkeys(found))
