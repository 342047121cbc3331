"""Time against the number of hosts: how straight naive's line is, and how far the ring is off its formula. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.experiments.trial import Row


@dataclass(frozen=True, slots=True)
class Line:
    """A line through the times of naive: seconds for each further host, measured and by the formula."""

    slope_s: float
    predicted_slope_s: float
    r_squared: float

    @property
    def slope_ratio(self) -> float:
        """Measured over predicted."""
        return self.slope_s / self.predicted_slope_s


def fitted_line(rows: Sequence[Row]) -> Line:
    """The least-squares line of naive, which by the formula has the slope 2K/B."""
    naive = [row for row in rows if row.algorithm == "naive"]
    hosts, times_s = (np.array([getattr(row, name) for row in naive], float) for name in ("ranks", "measured_s"))
    slope_s, start_s = np.polyfit(hosts, times_s, 1)
    left_s = times_s - (slope_s * hosts + start_s)
    r_squared = 1 - float((left_s**2).sum() / ((times_s - times_s.mean()) ** 2).sum())
    predicted_slope_s = (naive[-1].predicted_s - naive[0].predicted_s) / (naive[-1].ranks - naive[0].ranks)
    return Line(float(slope_s), predicted_slope_s, r_squared)


def ring_deviation(rows: Sequence[Row]) -> float:
    """The largest share by which a time of the ring is off 2(N-1)/N·K/B, either way."""
    return max(abs(row.ratio - 1) for row in rows if row.algorithm == "ring")
