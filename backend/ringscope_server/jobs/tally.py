"""What the rows of an attempt come to, added up as they are told. Pure.

A tally grows with the algorithms of a sweep, and with its sizes up to a bound, but not with its rows: the last row of a
long job costs what the first one did. ``summary.summary_of`` tells it to people.
"""

from ringscope.contracts.contest import Contest, Row


class Tally(Contest):
    """The contest of an attempt so far."""

    rows: int = 0
    limit_gb_per_s: float | None = None  # that the links of the gang allow; null: not known

    def add(self, row: Row) -> None:
        """Take one more row in."""
        super().add(row)
        self.rows += 1
