"""The rate limit of a token or address. Pure: the caller has the clock."""

BURST_SECONDS = 4.0
PRECISION_SECONDS = 1e-3  # sums of times since 1970 are not exact
FORGET_FROM = 10_000  # keys


class RateLimiter:
    """``per_second`` requests of each key on average, in bursts of up to four seconds' worth; 0 means no limit.

    A bucket that leaks is kept as one number, the time at which it will be empty again.
    """

    def __init__(self, per_second: float) -> None:
        self._interval = 1 / per_second if per_second else 0.0
        self._burst = max(BURST_SECONDS, self._interval)
        self._empty_at: dict[object, float] = {}
        self._forget_from = FORGET_FROM

    def wait_seconds(self, key: object, now: float) -> float:
        """Return 0 and count the request, or return how long the key must wait. ``now`` is in seconds."""
        if not self._interval:
            return 0.0
        # The clock may be set back: nobody waits longer than a full bucket takes.
        empty_at = min(max(self._empty_at.get(key, now), now), now + self._burst)
        too_early = empty_at + self._interval - (now + self._burst)
        if too_early > PRECISION_SECONDS:
            self._empty_at[key] = empty_at
            return too_early
        self._empty_at[key] = empty_at + self._interval
        if len(self._empty_at) > self._forget_from:
            self._forget(now)
        return 0.0

    def _forget(self, now: float) -> None:
        self._empty_at = {key: empty_at for key, empty_at in self._empty_at.items() if empty_at > now}
        self._forget_from = max(FORGET_FROM, 2 * len(self._empty_at))
