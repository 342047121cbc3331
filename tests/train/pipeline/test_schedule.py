"""The order of a pipeline's work: it is complete, free of deadlocks, and keeps the bubble and memory that it should."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope.contracts.training import PipelineSchedule, ideal_bubble, parts_per_rank
from ringscope.train.pipeline.schedule import Work, peak_activations, works

FORWARD, BACKWARD = 1.0, 2.0
SCHEDULES: list[PipelineSchedule] = ["gpipe", "1f1b", "interleaved"]


def orders(schedule: PipelineSchedule, stages: int, micro_batches: int) -> list[list[Work]]:
    return [works(schedule, stages, stage, micro_batches) for stage in range(stages)]


def ends(todo: list[list[Work]], parts: int) -> dict[Work, float]:
    """Return the end of each work if stages compute in order, parts take equally long and sending takes no time."""
    ended: dict[Work, float] = {}
    places, clocks = [0] * len(todo), [0.0] * len(todo)
    while any(place < len(order) for place, order in zip(places, todo, strict=True)):
        has_moved = False
        for stage, order in enumerate(todo):
            while places[stage] < len(order):
                work = order[places[stage]]
                needs = needed(work, parts)
                if any(need not in ended for need in needs):
                    break
                start = max([clocks[stage], *(ended[need] for need in needs)])
                ended[work] = clocks[stage] = start + (FORWARD if work.direction == "forward" else BACKWARD)
                places[stage] += 1
                has_moved = True
        assert has_moved, "all stages wait for each other"
    return ended


def needed(work: Work, parts: int) -> list[Work]:
    if work.direction == "forward":
        return [work._replace(part=work.part - 1)] if work.part else []
    own = work._replace(direction="forward")
    return [own] if work.part == parts - 1 else [own, work._replace(part=work.part + 1)]


@given(st.sampled_from(SCHEDULES), st.integers(2, 6), st.integers(1, 8))
def test_every_stage_computes_each_micro_batch_once_and_none_waits_for_ever(
    schedule: PipelineSchedule, stages: int, count: int
) -> None:
    micro_batches = count * stages if schedule == "interleaved" else count
    parts = stages * parts_per_rank(schedule)
    todo = orders(schedule, stages, micro_batches)
    for stage, order in enumerate(todo):
        expected = {
            (direction, part, number)
            for direction in ("forward", "backward")
            for part in range(stage, parts, stages)
            for number in range(micro_batches)
        }
        assert len(order) == len(expected) and set(order) == expected
    assert len(ends(todo, parts)) == 2 * parts * micro_batches


@given(st.sampled_from(SCHEDULES), st.integers(2, 6), st.integers(1, 8))
def test_its_bubble_is_that_of_the_formula(schedule: PipelineSchedule, stages: int, count: int) -> None:
    micro_batches = count * stages if schedule == "interleaved" else count
    per_rank = parts_per_rank(schedule)
    span = max(ends(orders(schedule, stages, micro_batches), stages * per_rank).values())
    busy = micro_batches * per_rank * (FORWARD + BACKWARD)
    assert 1 - busy / span == pytest.approx(ideal_bubble(schedule, stages, micro_batches))


@given(st.integers(2, 6), st.integers(1, 20))
def test_1f1b_keeps_at_most_as_many_micro_batches_as_there_are_stages(stages: int, micro_batches: int) -> None:
    peaks = [peak_activations(order) for order in orders("1f1b", stages, micro_batches)]
    assert peaks == [min(micro_batches, stages - stage) for stage in range(stages)]
    assert {peak_activations(order) for order in orders("gpipe", stages, micro_batches)} == {micro_batches}


def test_messages_between_two_stages_keep_their_order() -> None:
    for schedule in SCHEDULES:
        for order in orders(schedule, 4, 8):
            for direction in ("forward", "backward"):
                for part in {work.part for work in order}:
                    numbers = [work.micro_batch for work in order if work[:2] == (direction, part)]
                    assert numbers == sorted(numbers)
