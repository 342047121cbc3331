"""The offset of this node's clock from the server's, estimated from round trips as in NTP (RFC 5905). Pure."""

from dataclasses import dataclass

from ringscope.contracts.protocol import CLOCK_DRIFT


@dataclass(frozen=True)
class Exchange:
    """A request and its answer, in nanoseconds since 1970 by the clock of the side that reads it.

    The server may have held the request for long; that wait is between two of its own readings and does not count.
    """

    server: str
    asked_ns: int
    received_ns: int
    sent_ns: int
    answered_ns: int

    @property
    def offset_seconds(self) -> float:
        """The node's clock minus the server's, assuming that both directions took equally long."""
        return ((self.asked_ns - self.received_ns) + (self.answered_ns - self.sent_ns)) / 2e9

    @property
    def error_seconds(self) -> float:
        """The largest possible error of the offset: all of the delay may have been in one direction."""
        return (max(self._way_seconds, 0.0) + self._drift_seconds) / 2

    @property
    def is_torn(self) -> bool:
        """Return whether a clock was set while the server held the request: the answer then precedes the request."""
        return self._way_seconds < -self._drift_seconds

    @property
    def _way_seconds(self) -> float:
        return ((self.answered_ns - self.asked_ns) - (self.sent_ns - self.received_ns)) / 1e9

    @property
    def _drift_seconds(self) -> float:
        return CLOCK_DRIFT * (self.sent_ns - self.received_ns) / 1e9


@dataclass(frozen=True)
class Offset:
    """The node's clock minus the server's, and its largest possible error."""

    offset_seconds: float
    error_seconds: float


class OffsetEstimate:
    """Keeps the most exact exchange; ``now`` is seconds of a monotonic clock.

    All exchanges lose accuracy at the same rate, so one that is not the best on arrival never will be; one is enough.
    """

    def __init__(self) -> None:
        self._best: Exchange | None = None
        self._since = 0.0

    def note(self, exchange: Exchange, now: float) -> None:
        """Take in an exchange."""
        if exchange.is_torn:
            self._best = None  # what was known before is about a clock that was set
        elif self._is_better(exchange, now):
            self._best, self._since = exchange, now

    def offset(self, server: str, now: float) -> Offset | None:
        """Return the offset from this server's clock; None if it is not known."""
        if self._best is None or self._best.server != server:
            return None
        return Offset(round(self._best.offset_seconds, 6), round(self._error_seconds(self._best, now), 6))

    def _is_better(self, exchange: Exchange, now: float) -> bool:
        best = self._best
        if best is None or best.server != exchange.server:
            return True  # each server has its own clock
        error = self._error_seconds(best, now)
        # If both cannot be true, a clock was set in between.
        is_contradiction = abs(best.offset_seconds - exchange.offset_seconds) > error + exchange.error_seconds
        return is_contradiction or exchange.error_seconds <= error

    def _error_seconds(self, exchange: Exchange, now: float) -> float:
        return exchange.error_seconds + CLOCK_DRIFT * (now - self._since)
