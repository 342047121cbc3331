"""Instants as agents and ranks tell them: nanoseconds since 1970."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def as_ns(instant: datetime) -> int:
    """Exact to the microsecond that a datetime holds, which a float of that size is not."""
    return (instant - _EPOCH) // timedelta(microseconds=1) * 1000
