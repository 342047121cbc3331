"""The end of a watched script in a few lines: its steps, and its collectives by size. Pure."""

from collections.abc import Mapping, Sequence

from ringscope.contracts.words.units import format_size, plural
from ringscope.train.step_reporter import Step

_MOST_SHOWN = 8
_MOST_STEPS = 100_000  # newer ones replace older ones


class Summary:
    """The steps of one rank of ``ranks``."""

    def __init__(self, ranks: int) -> None:
        self._ranks, self._steps = ranks, 0
        self._durations_us: list[float] = []
        self._total_us = self._exposed_us = self._input_us = 0.0
        self._samples = 0

    def add(self, step: Step) -> None:
        """Take in a step."""
        if len(self._durations_us) < _MOST_STEPS:
            self._durations_us.append(step.duration_us)
        else:
            self._durations_us[self._steps % _MOST_STEPS] = step.duration_us
        self._steps += 1
        self._total_us += step.duration_us
        self._exposed_us += step.exposed_us
        self._input_us += step.input_us or 0.0
        self._samples += step.samples or 0

    def lines(self, totals: Mapping[tuple[str, int | str], Sequence[int]]) -> list[str]:
        """Return the summary; nothing if there was neither a step nor a collective."""
        found = [self._of_steps()] if self._steps else []
        if totals:
            found.append(f"Collectives of rank 0: {_collectives(totals)}.")
        return found

    def _of_steps(self) -> str:
        ordered = sorted(self._durations_us)
        middle, high = (ordered[int(len(ordered) * part)] / 1e3 for part in (0.5, 0.99))
        rate = ""
        if self._samples:
            each = "" if self._ranks == 1 else " on each rank"
            rate = f", {self._samples / self._total_us * 1e6:.4g} samples/s{each}"
        waits = f"{self._exposed_us / self._total_us:.0%} of the time waiting for other ranks"
        if self._input_us:
            waits += f", {self._input_us / self._total_us:.0%} for samples"
        return f"{plural(self._steps, 'step')} of rank 0: median {middle:.3g} ms, p99 {high:.3g} ms{rate}; {waits}."


def _collectives(totals: Mapping[tuple[str, int | str], Sequence[int]]) -> str:
    def bytes_of(kind: tuple[str, int | str]) -> int:
        return (kind[1] if isinstance(kind[1], int) else 0) * totals[kind][0]

    ordered = sorted(totals, key=lambda kind: (-bytes_of(kind), -totals[kind][0]))
    parts = []
    for name, size in ordered[:_MOST_SHOWN]:
        count, took_ns = totals[name, size]
        sized = f" of {format_size(size) if isinstance(size, int) else size}" if size else ""
        took = f" ({took_ns / count / 1e6:.3g} ms each)" if took_ns else ""
        parts.append(f"{count} x {name}{sized}{took}")
    rest = len(ordered) - _MOST_SHOWN
    return "; ".join(parts) + (f"; and {plural(rest, 'other kind')}" if rest > 0 else "")
