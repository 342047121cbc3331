"""Instants: as people give them, and as agents and ranks tell them, in nanoseconds since 1970."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_YEARS = range(1970, 9000)  # whatever the zone, it is a time in UTC as well, and so is some days before or after it


def _within_years(time: datetime) -> datetime:
    if time.year not in _YEARS:
        raise ValueError(f"the year is {time.year}; give a time in the years {_YEARS[0]} to {_YEARS[-1]}.")
    return time


# A time in a request, with its zone.
Instant = Annotated[AwareDatetime, AfterValidator(_within_years)]


def as_ns(instant: datetime) -> int:
    """Exact to the microsecond that a datetime holds, which a float of that size is not."""
    return (instant - _EPOCH) // timedelta(microseconds=1) * 1000
