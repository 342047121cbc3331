"""Cron expressions in time zones."""

from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringscope_server.schedules.firing import LATE_AFTER, newest_due
from ringscope_server.schedules.times import check_cron, check_timezone, upcoming

BERLIN = "Europe/Berlin"


def times(cron: str, after: str, count: int, timezone: str = BERLIN) -> list[str]:
    start = datetime.fromisoformat(after).replace(tzinfo=UTC)
    return [f"{time:%Y-%m-%d %H:%M}" for time in islice(upcoming(cron, timezone, start), count)]


def test_a_local_time_keeps_its_hour_in_summer_and_winter() -> None:
    assert times("0 9 * * *", "2026-03-27 12:00", 3) == ["2026-03-28 08:00", "2026-03-29 07:00", "2026-03-30 07:00"]
    assert times("0 9 * * *", "2026-10-23 12:00", 3) == ["2026-10-24 07:00", "2026-10-25 08:00", "2026-10-26 08:00"]


def test_a_local_time_that_the_clock_skips_is_made_up_for_at_once() -> None:
    # 2026-03-29: after 01:59 comes 03:00, which is 01:00 UTC.
    assert times("30 2 * * *", "2026-03-28 12:00", 2) == ["2026-03-29 01:00", "2026-03-30 00:30"]


def test_two_local_times_that_fall_together_are_one() -> None:
    assert times("0,30 2,3 * * *", "2026-03-28 12:00", 3) == [
        "2026-03-29 01:00",
        "2026-03-29 01:30",
        "2026-03-30 00:00",
    ]


@pytest.mark.parametrize("after", ["2026-10-25 00:30", "2026-10-25 00:45", "2026-10-25 01:15", "2026-10-25 01:30"])
def test_a_local_time_that_comes_twice_is_taken_once(after: str) -> None:
    # 2026-10-25: 02:00 to 02:59 comes at 00:00 UTC and again at 01:00 UTC.
    assert times("30 2 * * *", "2026-10-24 12:00", 2) == ["2026-10-25 00:30", "2026-10-26 01:30"]
    assert times("30 2 * * *", after, 1) == ["2026-10-26 01:30"]


def test_an_hourly_schedule_follows_the_passing_of_time() -> None:
    assert times("30 * * * *", "2026-10-24 23:45", 3) == ["2026-10-25 00:30", "2026-10-25 01:30", "2026-10-25 02:30"]
    assert times("30 * * * *", "2026-03-28 23:45", 3) == ["2026-03-29 00:30", "2026-03-29 01:30", "2026-03-29 02:30"]


def test_a_clock_that_turns_by_half_an_hour_loses_no_time() -> None:
    # 2026-04-05 on Lord Howe Island: after 01:59, 14:59 UTC, comes 01:30, 15:00 UTC.
    times_there = times("*/20 0 * * *", "2026-04-04 13:30", 3, "Australia/Lord_Howe")
    assert times_there == ["2026-04-04 13:40", "2026-04-05 13:30", "2026-04-05 13:50"]
    assert times("45 1 * * *", "2026-04-04 13:30", 2, "Australia/Lord_Howe") == ["2026-04-04 14:45", "2026-04-05 15:15"]
    # 2026-10-04: after 01:59, 15:29 UTC, comes 02:30.
    assert times("15 2 * * *", "2026-10-03 13:30", 2, "Australia/Lord_Howe") == ["2026-10-03 15:30", "2026-10-04 15:15"]


def test_a_leap_day_comes_in_leap_years_only() -> None:
    assert times("0 0 29 2 *", "2026-01-01 00:00", 2, "UTC") == ["2028-02-29 00:00", "2032-02-29 00:00"]
    assert times("0 12 L 2 *", "2027-01-01 00:00", 2, "UTC") == ["2027-02-28 12:00", "2028-02-29 12:00"]


@pytest.mark.parametrize(
    ("cron", "words"),
    [
        ("* * * *", "does not have five fields"),
        ("* * * * * *", "does not have five fields"),
        ("@daily", "does not have five fields"),
        ("60 * * * *", "a bad minute"),
        ("* 24 * * *", "a bad hour"),
        ("* * * * nope", "a bad day of week"),
        ("0 0 31 2 *", "a bad day of month"),
        ("*/0 * * * *", "a bad minute"),
    ],
)
def test_a_bad_expression_is_refused_with_an_example(cron: str, words: str) -> None:
    with pytest.raises(ValueError, match=words) as error:
        check_cron(cron)
    assert "30 2 * * MON-FRI" in str(error.value)


@given(st.text(alphabet="0123456789*/,-#L WMONFRI?²\x00", max_size=30))
def test_whatever_is_typed_is_taken_or_refused_in_a_sentence(cron: str) -> None:
    try:
        check_cron(cron)
    except ValueError as error:
        assert "give one such as" in str(error)
    else:
        assert next(upcoming(cron, BERLIN, datetime(2026, 1, 1, tzinfo=UTC))) is not None


@pytest.mark.parametrize("zone", ["Berlin", "europe/berlin", "", "../../etc/passwd", "Europe", "localtime", "UTC\n"])
def test_what_is_no_zone_is_refused(zone: str) -> None:
    with pytest.raises(ValueError, match="is not a time zone; give an IANA name such as UTC or Europe/Berlin"):
        check_timezone(zone)


CRONS = st.one_of(
    st.builds("{} {} * * *".format, st.integers(0, 59), st.integers(0, 4)),
    st.builds("{},{} {} * * *".format, st.integers(0, 59), st.integers(0, 59), st.integers(0, 23)),
    st.builds("*/{} {} * * *".format, st.integers(7, 40), st.integers(0, 4)),
    st.builds("{} */{} * * *".format, st.integers(0, 59), st.integers(1, 5)),
    st.builds("{} {} {} * SUN".format, st.integers(0, 59), st.integers(0, 3), st.integers(1, 28)),
)
# Days on which the clock turns, in either direction, by an hour or half of one, at midnight too.
TURNS = st.sampled_from(
    [
        (BERLIN, datetime(2026, 3, 28, tzinfo=UTC)),
        (BERLIN, datetime(2026, 10, 24, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 3, 8, tzinfo=UTC)),
        ("America/Santiago", datetime(2026, 9, 5, tzinfo=UTC)),
        ("Australia/Lord_Howe", datetime(2026, 4, 4, tzinfo=UTC)),
        ("Australia/Lord_Howe", datetime(2026, 10, 3, tzinfo=UTC)),
        ("Asia/Kathmandu", datetime(2026, 1, 1, tzinfo=UTC)),
    ]
)


@given(CRONS, TURNS, st.lists(st.integers(1, 900), min_size=1, max_size=20))
def test_the_times_that_are_shown_are_those_that_fire(
    cron: str, turn: tuple[str, datetime], pauses_minutes: list[int]
) -> None:
    """Whenever the scheduler looks, each time that is shown fires, but for those that are missed by an hour or
    overtaken by a newer one."""
    zone, start = turn
    shown = list(takewhile(lambda time: time < start + timedelta(days=14), upcoming(cron, zone, start)))
    now, due, fired = start, next(upcoming(cron, zone, start)), []
    for pause in pauses_minutes:
        before, now = now, now + timedelta(minutes=pause)
        if due > now:
            continue
        time = newest_due(cron, zone, due, now)
        newest = max(time for time in shown if before < time <= now)
        assert time == (newest if now - newest < LATE_AFTER else None)
        fired.append(time)
        due = next(upcoming(cron, zone, now))
        assert due == min(time for time in shown if time > now)
    assert len(fired) == len(set(fired) - {None}) + fired.count(None)


@given(CRONS, TURNS)
def test_a_loop_that_looks_each_second_misses_none(cron: str, turn: tuple[str, datetime]) -> None:
    zone, start = turn
    shown = list(islice(upcoming(cron, zone, start), 30))
    now = start
    for time in shown:
        due = next(upcoming(cron, zone, now))
        now = time + timedelta(seconds=1)
        assert newest_due(cron, zone, due, now) == time
