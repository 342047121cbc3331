"""A chart of bus bandwidth by message size, with what was to be expected, as inline SVG. Pure."""

from itertools import groupby
from math import ceil, floor, log2, log10

from ringscope.contracts.words.units import format_size
from ringscope.report.document import ReportedJob, Row, counts
from ringscope.report.expectations import Expected, expectations
from ringscope.report.markup import shown

_WIDTH, _HEIGHT = 760, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 30, 12, 40
MOST_LINES = 6  # colours that a reader can tell apart
_Series = tuple[str | None, bool]


def chart(job: ReportedJob) -> str:
    """Return a figure of the rows that count; empty if fewer than two sizes have any."""
    lines = _lines(job.rows)
    sizes = sorted({row.size_bytes for rows in lines.values() for row in rows})
    if len(sizes) < 2:
        return ""
    left_out = max(0, len(lines) - MOST_LINES)
    drawn = dict(sorted(lines.items(), key=lambda one: -_peak(one[1]))[:MOST_LINES])
    known = expectations(job.judgement).sizes
    return _Drawing(drawn, known, sizes).figure(left_out)


def _lines(rows: list[Row]) -> dict[_Series, list[Row]]:
    """Return for each algorithm and placement its best row of each size."""
    best: dict[tuple[str | None, bool, int], Row] = {}
    for row in rows:
        key = (row.algorithm, row.in_place, row.size_bytes)
        if counts(row) and row.size_bytes > 0 and (key not in best or _value(row) > _value(best[key])):
            best[key] = row
    ordered = sorted(best, key=lambda key: (key[0] or "", key[1], key[2]))
    return {name: [best[key] for key in keys] for name, keys in groupby(ordered, lambda key: (key[0], key[1]))}


def _value(row: Row) -> float:
    return row.busbw_gb_per_s or 0.0


def _peak(rows: list[Row]) -> float:
    return max(map(_value, rows))


class _Drawing:
    def __init__(
        self, lines: dict[_Series, list[Row]], known: dict[tuple[int, bool], Expected], sizes: list[int]
    ) -> None:
        self._lines, self._sizes = lines, sizes
        self._known = {size: one for (size, _), one in sorted(known.items(), reverse=True) if size >= sizes[0]}
        highs = [one.high for one in self._known.values() if one.high is not None]
        limits = [one.limit for one in self._known.values() if one.limit is not None]
        peak = max(map(_peak, lines.values()))
        self._limit = limits[0] if limits and limits[0] < 3 * peak else None
        self._top = _round_up(max([peak, *(high for high in highs if high < 3 * peak), self._limit or 0.0]))

    def figure(self, left_out: int) -> str:
        parts = [*self._axes(), *self._band(), *self._measured()]
        label = "Bus bandwidth in GB/s by message size"
        svg = f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
        more = f'<p class="soft">{left_out} slower lines are not drawn.</p>' if left_out else ""
        return f"<figure>\n{svg}\n<figcaption>{self._keys()}</figcaption>\n</figure>\n{more}"

    def _x(self, size: int) -> float:
        first, last = log2(self._sizes[0]), log2(self._sizes[-1])
        return round(_LEFT + (log2(size) - first) / (last - first) * (_WIDTH - _LEFT - _RIGHT), 1)

    def _y(self, value: float) -> float:
        return round(_HEIGHT - _BOTTOM - min(value / self._top, 1.0) * (_HEIGHT - _TOP - _BOTTOM), 1)

    def _axes(self) -> list[str]:
        parts = []
        for step in range(5):
            value = self._top * step / 4
            y = self._y(value)
            parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>')
            parts.append(f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{value:.4g}</text>')
        every = ceil(len(self._sizes) / 9)
        for size in self._sizes[::every]:
            x = self._x(size)
            parts.append(f'<text x="{x}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">{format_size(size)}</text>')
        parts.append(f'<text x="{_LEFT}" y="{_HEIGHT - 6}">Message size; bus bandwidth in GB/s</text>')
        return parts

    def _band(self) -> list[str]:
        parts = []
        sizes = sorted(size for size, one in self._known.items() if one.low is not None and size <= self._sizes[-1])
        if len(sizes) > 1:
            upper = [f"{self._x(size)},{self._y(self._known[size].high or 0.0)}" for size in sizes]
            lower = [f"{self._x(size)},{self._y(self._known[size].low or 0.0)}" for size in reversed(sizes)]
            parts.append(f'<polygon class="band" points="{" ".join([*upper, *lower])}"/>')
        if self._limit is not None:
            y = self._y(self._limit)
            parts.append(f'<line class="limit" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>')
        return parts

    def _measured(self) -> list[str]:
        parts = []
        for number, ((_, in_place), rows) in enumerate(self._lines.items()):
            points = " ".join(f"{self._x(row.size_bytes)},{self._y(_value(row))}" for row in rows)
            dashed = " in" if in_place else ""
            parts.append(f'<polyline class="line s{number}{dashed}" points="{points}"/>')
        return parts

    def _keys(self) -> str:
        keys = []
        for number, (algorithm, in_place) in enumerate(self._lines):
            place = "in place" if in_place else "out of place"
            name = f"{algorithm}, {place}" if algorithm else place
            dashed = " in" if in_place else ""
            keys.append(_key(f'<path class="line s{number}{dashed}" d="M0 4H24"/>', shown(name)))
        if any(one.low is not None for one in self._known.values()):
            keys.append(_key('<rect class="band" width="24" height="8"/>', "expected"))
        if self._limit is not None:
            keys.append(_key('<path class="limit" d="M0 4H24"/>', "limit of the links"))
        return "".join(keys)


def _key(mark: str, name: str) -> str:
    return f'<span class="key"><svg viewBox="0 0 24 8" aria-hidden="true">{mark}</svg>{name}</span>'


def _round_up(value: float) -> float:
    """Return the next value that divides well into four."""
    scale = 10.0 ** floor(log10(value))
    return next(step * scale for step in (1, 2, 4, 6, 8, 10) if value <= step * scale * (1 + 1e-9))
