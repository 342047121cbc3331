"""What waiting jobs are told."""

from datetime import UTC, datetime, timedelta

import pytest

from ringscope_server.placement.plan import Wait
from ringscope_server.scheduler.telling import Told, news

SOON = datetime(2026, 1, 1, tzinfo=UTC)
BEFORE = Told("behind", "Waits behind job 7.", 2, SOON)


@pytest.mark.parametrize(
    ("before", "wait", "is_quiet"),
    [
        (BEFORE, Wait(1, "behind", "Waits behind job 7.", 1, SOON), True),
        (BEFORE, Wait(1, "behind", "Waits behind job 8.", 2, SOON), False),
        (BEFORE, Wait(1, "behind", "Waits behind job 7.", 2, SOON + timedelta(seconds=6)), False),
        (Told("behind", "Waits behind job 7.", 900, None), Wait(1, "behind", "Waits behind job 8.", 899, None), True),
        (Told(None, None, None, None), Wait(1, "behind", "Waits behind job 8.", 900, None), False),
    ],
)
def test_news_go_to_the_browsers_unless_they_concern_the_whole_queue(before: Told, wait: Wait, is_quiet: bool) -> None:
    (item,) = news([wait], {1: before})
    assert item.is_quiet == is_quiet


def test_an_estimate_that_moves_by_seconds_is_no_news() -> None:
    wait = Wait(1, "behind", "Waits behind job 7.", 2, SOON + timedelta(seconds=5))
    assert list(news([wait], {1: BEFORE})) == []
