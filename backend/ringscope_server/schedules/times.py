"""The times of a cron expression in a time zone. Pure.

Fields and summer time are those of Debian's cron, as the library cronsim has them; docs/schedules.md describes them.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

# Names in the time zone database that mean something else on each machine, or nothing.
_NOT_ZONES = frozenset({"localtime", "Factory"})
MOST_TURNED = timedelta(hours=3)  # by which a clock is put forward or back
CRON_EXAMPLE = '"30 2 * * MON-FRI": minute, hour, day of month, month, day of week'


def check_cron(cron: str) -> str:
    """Return the expression. Raises ValueError with a sentence if it is invalid or its time never comes."""
    if len(cron.split()) != 5:
        raise ValueError(f"{cron!r} does not have five fields; give one such as {CRON_EXAMPLE}.")
    try:
        times = CronSim(cron, datetime(2000, 1, 1))
    except CronSimError as error:
        wrong = str(error).removeprefix("Bad ").replace("-", " ")
        raise ValueError(f"{cron!r} has a bad {wrong}; give one such as {CRON_EXAMPLE}.") from error
    if next(times, None) is None:
        raise ValueError(f"{cron!r} names a day that never comes; give one such as {CRON_EXAMPLE}.")
    return cron


def check_timezone(name: str) -> str:
    """Return the name. Raises ValueError with a sentence if there is no such zone."""
    if name not in _zone_names():
        raise ValueError(f"{name!r} is not a time zone; give an IANA name such as UTC or Europe/Berlin.")
    return name


def upcoming(cron: str, timezone: str, after: datetime) -> Iterator[datetime]:
    """Yield the times after ``after``, in UTC, in ascending order and without end.

    On a day without such a local time the next existing one counts; of a local time that comes twice, the first counts.
    Expressions whose minute or hour begins with ``*`` follow the passing of time instead: what the clock skips is left
    out, what it repeats comes twice.
    """
    zone = ZoneInfo(timezone)
    follows_time = any(field.startswith("*") for field in cron.split()[:2])
    # The library goes by the local clock without a zone, as it loses its way where a zone turns by half an hour.
    local = after.astimezone(zone).replace(tzinfo=None) - MOST_TURNED
    newest = after
    repeated: list[datetime] = []
    for time in CronSim(cron, local):
        first, second = (_moment(time, zone, fold) for fold in (0, 1))
        is_skipped = first > second  # PEP 495: of a time that does not exist, fold 1 is the earlier one
        if is_skipped and follows_time:
            continue
        moment = _turn(zone, second, first) if is_skipped else first
        while repeated and repeated[0] < moment:
            if (again := repeated.pop(0)) > newest:
                newest = again
                yield again
        if second > first and follows_time:
            repeated.append(second)
        if moment > newest:
            newest = moment
            yield moment


def _moment(local: datetime, zone: ZoneInfo, fold: int) -> datetime:
    return local.replace(tzinfo=zone, fold=fold).astimezone(UTC)


def _turn(zone: ZoneInfo, start: datetime, end: datetime) -> datetime:
    """Return when the clock changes between two moments, to the minute: the first with the later offset from UTC."""
    before = start.astimezone(zone).utcoffset()
    while end - start > timedelta(minutes=1):
        middle = (start + (end - start) / 2).replace(second=0, microsecond=0)
        start, end = (middle, end) if middle.astimezone(zone).utcoffset() == before else (start, middle)
    return end


@cache
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones()) - _NOT_ZONES
