"""The halves of an all-reduce: its additions, after which each chunk is complete on one rank, and then the copies.

A caller can work on the sums between the halves. Together they send what the all-reduce sends, and add in the same
order. Pure.
"""

from dataclasses import replace

from ringscope.schedules.schedule import LEAST_ALIGNED, LINE_ELEMENTS, Schedule, joined


def halves(schedule: Schedule) -> tuple[Schedule, Schedule] | None:
    """Return the reduce-scatter, whose ``outputs`` are the ranks' shares, and the all-gather of an all-reduce.

    None if a chunk is copied before one rank has its sum, or if the shares are not equal.
    """
    receivers: list[list[int]] = [[] for _ in schedule.chunks]
    for transfer in (transfer for step in schedule.steps for transfer in step):
        if not transfer.reduce:
            receivers[transfer.target].append(transfer.dst)
        elif receivers[transfer.target]:
            return None
    shares: list[set[int]] = [set() for _ in range(schedule.ranks)]
    for number, found in enumerate(receivers):
        owners = set(range(schedule.ranks)).difference(found)
        if schedule.chunks[number].length and (len(owners) != 1 or len(found) != schedule.ranks - 1):
            return None
        shares[min(owners)].add(number)
    elements = [sum(schedule.chunks[number].length for number in share) for share in shares]
    if max(elements) - min(elements) > _difference(schedule):
        return None
    reduce_scatter = joined([t for t in step if t.reduce] for step in schedule.steps)
    all_gather = joined([t for t in step if not t.reduce] for step in schedule.steps)
    outputs = tuple(frozenset(share) for share in shares)
    return replace(schedule, steps=reduce_scatter, outputs=outputs), replace(schedule, steps=all_gather)


def _difference(schedule: Schedule) -> int:
    """Return by how many elements equal shares may differ, as their chunks are cut between elements or lines."""
    chunks = len(schedule.chunks)
    is_long = schedule.length >= chunks * LEAST_ALIGNED
    return max(chunks, -(-chunks // schedule.ranks) * 4 * LINE_ELEMENTS) if is_long else chunks
