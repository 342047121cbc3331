"""How far this node's clock is from the server's, learned from round trips as NTP does (RFC 5905). Pure."""

from dataclasses import dataclass

from ringscope.contracts.protocol import CLOCK_DRIFT


@dataclass(frozen=True)
class Exchange:
    """A request and its answer, in nanoseconds since 1970 of the clock of whoever reads it.

    The server may have held the request for long: its wait lies between two of its own readings and does not count.
    """

    server: str
    asked_ns: int
    received_ns: int
    sent_ns: int
    answered_ns: int

    @property
    def offset_seconds(self) -> float:
        """The node's clock minus the server's, if both ways took equally long."""
        return ((self.asked_ns - self.received_ns) + (self.answered_ns - self.sent_ns)) / 2e9

    @property
    def error_seconds(self) -> float:
        """At most so far is the offset from the truth: all of the way may have been on one side."""
        return (max(self._way_seconds, 0.0) + self._drift_seconds) / 2

    @property
    def is_torn(self) -> bool:
        """A clock was set while the server held the request: it would have been answered before it was asked."""
        return self._way_seconds < -self._drift_seconds

    @property
    def _way_seconds(self) -> float:
        return ((self.answered_ns - self.asked_ns) - (self.sent_ns - self.received_ns)) / 1e9

    @property
    def _drift_seconds(self) -> float:
        return CLOCK_DRIFT * (self.sent_ns - self.received_ns) / 1e9


@dataclass(frozen=True)
class Offset:
    """The node's clock minus the server's, and how far that is from the truth at most."""

    offset_seconds: float
    error_seconds: float


class OffsetEstimate:
    """Keeps the exchange that is most exact now; ``now`` is seconds of a monotonic clock.

    All of them grow worse at the same rate, so one that is not the best when it comes never will be, and one is enough.
    """

    def __init__(self) -> None:
        self._best: Exchange | None = None
        self._since = 0.0

    def note(self, exchange: Exchange, now: float) -> None:
        """Learn from an exchange."""
        if exchange.is_torn:
            self._best = None  # what was known before is about a clock that was set
        elif self._is_better(exchange, now):
            self._best, self._since = exchange, now

    def offset(self, server: str, now: float) -> Offset | None:
        """What is known against this server's clock; None when nothing is."""
        if self._best is None or self._best.server != server:
            return None
        return Offset(round(self._best.offset_seconds, 6), round(self._error_seconds(self._best, now), 6))

    def _is_better(self, exchange: Exchange, now: float) -> bool:
        best = self._best
        if best is None or best.server != exchange.server:
            return True  # each server's clock is another one
        error = self._error_seconds(best, now)
        # If both cannot be true, a clock was set in between.
        is_contradiction = abs(best.offset_seconds - exchange.offset_seconds) > error + exchange.error_seconds
        return is_contradiction or exchange.error_seconds <= error

    def _error_seconds(self, exchange: Exchange, now: float) -> float:
        return exchange.error_seconds + CLOCK_DRIFT * (now - self._since)
