"""The sum of an attempt's rows, updated as they are reported. Pure.

A tally grows with the algorithms of a sweep, and with its sizes up to a bound, but not with its rows: the last row of a
long job costs as much as the first. ``summary.summary_of`` turns it into a summary.
"""

from ringscope.judging.comparison import Row, SweepComparison


class Tally(SweepComparison):
    """The comparison of an attempt's algorithms so far."""

    rows: int = 0
    limit_gb_per_s: float | None = None  # the limit by the gang's links; None if not known
    lowered_max_bytes: int | None = None  # the largest size that fitted into memory; None if all did

    def add(self, row: Row) -> None:
        """Add one more row."""
        super().add(row)
        self.rows += 1
