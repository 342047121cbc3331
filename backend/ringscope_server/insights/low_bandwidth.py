"""Low bandwidth: rows of a sweep that are well below earlier good runs of the same shape. Pure.

The expected value is the median of the last five good runs, at least three. A row is low if it is below 0.8 of that and
below the worst of those runs, so that a variation that good runs have is not reported; it takes two low rows of the
same algorithm in succession. If other load disturbed the earlier runs, a row is low below half of the median, and the
sentence says so.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ringscope.contracts.words.units import format_size
from ringscope_server.insights.kinds import Finding
from ringscope_server.results.baseline import Baseline, Row

MIN_RATIO = 0.8
MIN_RATIO_OF_DISTURBED = 0.5
MIN_ROWS = 2
MAX_ROWS_SHOWN = 32


@dataclass
class Comparison:
    """The rows of one attempt compared with their expected values."""

    expected: Baseline
    _low_in_a_row: dict[tuple[str, bool], int] = field(default_factory=dict)
    _low: list[dict[str, Any]] = field(default_factory=list)
    _is_told: bool = False

    def judge(self, rows: Iterable[Row]) -> Finding | None:
        """Take in new rows; return a finding if the rows so far are too low."""
        for row in rows:
            self._note(row)
        if not self._is_told:
            return None
        worst = min(self._low, key=lambda low: low["ratio"])
        good = "runs gave, which other load disturbed as well" if worst["is_disturbed"] else "good runs gave"
        message = (
            f"The bus bandwidth is low: {worst['algorithm']} at {format_size(worst['size_bytes'])} gives "
            f"{worst['busbw_gb_per_s']:.3g} GB/s, {worst['ratio']:.2f} of what {worst['runs']} {good} "
            f"({worst['expected_gb_per_s']:.3g} GB/s); {len(self._low)} rows are low."
        )
        return Finding("low_bandwidth", message, evidence={"rows": self._low[:MAX_ROWS_SHOWN]})

    def _note(self, row: Row) -> None:
        expected = self.expected.get(row.shape)
        if expected is None or not expected.median_gb_per_s:
            return
        line = row.shape.algorithm, row.shape.in_place
        value = row.busbw_gb_per_s
        min_ratio = MIN_RATIO_OF_DISTURBED if expected.is_disturbed else MIN_RATIO
        if value >= min_ratio * expected.median_gb_per_s or value >= expected.least_gb_per_s:
            self._low_in_a_row[line] = 0
            return
        self._low_in_a_row[line] = self._low_in_a_row.get(line, 0) + 1
        self._is_told = self._is_told or self._low_in_a_row[line] >= MIN_ROWS
        self._low.append(
            {
                "algorithm": row.shape.algorithm,
                "in_place": row.shape.in_place,
                "size_bytes": row.shape.size_bytes,
                "busbw_gb_per_s": value,
                "expected_gb_per_s": expected.median_gb_per_s,
                "ratio": value / expected.median_gb_per_s,
                "runs": expected.runs,
                "is_disturbed": expected.is_disturbed,
            }
        )
