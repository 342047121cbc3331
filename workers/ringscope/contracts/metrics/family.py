"""Definition of a metric, and of a table of metrics (pure data)."""

from dataclasses import dataclass
from typing import Literal

PREFIX = "ringscope_"
Kind = Literal["counter", "gauge", "histogram"]


@dataclass(frozen=True)
class Family:
    """One metric.

    Args: name: the name as Prometheus stores it: a counter's ends in _total. unit: the unit of its value, in a word or
    two for readers; empty for a plain number. alerts: rules of deploy/prometheus that use it, directly or through a
    recording rule. buckets: upper bounds of a histogram, without +Inf, in ``unit``.
    """

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...]
    unit: str
    alerts: tuple[str, ...]
    buckets: tuple[float, ...] = ()


class Table:
    """The metrics of one page, in its order."""

    def __init__(self) -> None:
        self.families: list[Family] = []

    def counter(self, name: str, help: str, *labels: str, unit: str = "", alerts: tuple[str, ...] = ()) -> Family:
        """Add a counter; ``name`` is without prefix and _total."""
        return self._add(Family(f"{PREFIX}{name}_total", "counter", help, labels, unit, alerts))

    def gauge(self, name: str, help: str, *labels: str, unit: str = "", alerts: tuple[str, ...] = ()) -> Family:
        """Add a gauge; ``name`` is without prefix."""
        return self._add(Family(f"{PREFIX}{name}", "gauge", help, labels, unit, alerts))

    def histogram(
        self, name: str, help: str, *labels: str, buckets: tuple[float, ...], alerts: tuple[str, ...] = ()
    ) -> Family:
        """Add a histogram of seconds; ``name`` is without prefix."""
        return self._add(Family(f"{PREFIX}{name}", "histogram", help, labels, "s", alerts, buckets))

    def _add(self, family: Family) -> Family:
        if any(known.name == family.name for known in self.families):
            raise ValueError(f"there is a metric {family.name} already")
        self.families.append(family)
        return family
