"""A waiting job's reason, place and estimated start are renewed only when they have changed enough."""

from datetime import UTC, datetime, timedelta

import pytest

from ringscope.contracts.job import Placement
from ringscope_server.placement.plan import Wait
from ringscope_server.placement.queue import StoredReason, Waiting
from ringscope_server.placement.snapshot import QueuedJob
from ringscope_server.scheduler.waiting_reasons import NewReason, new_reasons

SOON = datetime(2026, 1, 1, tzinfo=UTC)
BEFORE = StoredReason("behind", "Waits behind job 7.", 2, SOON)
JOB = QueuedJob(1, Placement(), "ada", 0, SOON, 60)


def told_after(before: StoredReason, wait: Wait) -> list[NewReason]:
    return list(new_reasons([wait], {1: Waiting((), JOB, before)}))


@pytest.mark.parametrize(
    ("before", "wait", "is_quiet"),
    [
        (BEFORE, Wait(1, "behind", "Waits behind job 7.", 1, SOON), True),
        (BEFORE, Wait(1, "behind", "Waits behind job 8.", 2, SOON), False),
        (BEFORE, Wait(1, "behind", "Waits behind job 7.", 2, SOON + timedelta(seconds=6)), False),
        (
            StoredReason("behind", "Waits behind job 7.", 900, None),
            Wait(1, "behind", "Waits behind job 8.", 899, None),
            True,
        ),
        (StoredReason(None, None, None, None), Wait(1, "behind", "Waits behind job 8.", 900, None), False),
    ],
)
def test_news_go_to_the_browsers_unless_they_concern_the_whole_queue(
    before: StoredReason, wait: Wait, is_quiet: bool
) -> None:
    (item,) = told_after(before, wait)
    assert item.is_quiet == is_quiet


def test_an_estimate_that_moves_by_seconds_is_no_news() -> None:
    wait = Wait(1, "behind", "Waits behind job 7.", 2, SOON + timedelta(seconds=5))
    assert told_after(BEFORE, wait) == []


@pytest.mark.parametrize(
    ("told", "position", "is_true_enough"),
    [(1, 1, True), (2, 1, False), (99, 98, False), (5000, 4950, True), (5000, 4949, False)],
)
def test_places_far_back_are_told_to_one_percent(told: int, position: int, is_true_enough: bool) -> None:
    sentence = "Waits for its turn: more than 50 jobs are ahead of it in the queue."
    items = told_after(StoredReason("behind", sentence, told, None), Wait(1, "behind", sentence, position, None))
    assert (not items) == is_true_enough
