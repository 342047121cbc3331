"""Families as prometheus_client takes them from a collector."""

from collections.abc import Callable, Mapping, Sequence

from prometheus_client.core import CounterMetricFamily, Exemplar, GaugeMetricFamily, HistogramMetricFamily, Metric

from ringscope.contracts.metrics.family import Family
from ringscope.contracts.metrics.histogram import Histogram

NO_EXEMPLARS: Mapping[int, Exemplar] = {}


class Series:
    """One family with its series, as a page shows it. A family without series is still listed."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.metric: Metric = _CLASSES[family.kind](family.name, family.help, labels=family.labels)

    def add(self, *labels: object, value: float | None) -> "Series":
        """Add a series with these values of the family's labels; None: add nothing."""
        if value is not None:
            self._check(labels)
            self.metric.add_metric([str(label) for label in labels], value)  # type: ignore[attr-defined]
        return self

    def distribution(
        self, *labels: object, histogram: Histogram, exemplars: Mapping[int, Exemplar] = NO_EXEMPLARS
    ) -> "Series":
        """Add the series of a histogram; ``exemplars`` are by number of the bucket."""
        self._check(labels)
        bounds = [*(str(float(bound)) for bound in histogram.bounds), "+Inf"]
        counts = [float(count) for count in histogram.counts.cumsum()]
        buckets = [
            (bound, count, exemplars[place]) if place in exemplars else (bound, count)
            for place, (bound, count) in enumerate(zip(bounds, counts, strict=True))
        ]
        names = [str(label) for label in labels]
        self.metric.add_metric(names, buckets, histogram.sum)  # type: ignore[attr-defined]
        return self

    def _check(self, labels: Sequence[object]) -> None:
        if len(labels) != len(self.family.labels):
            raise ValueError(f"{self.family.name} has the labels {self.family.labels}, not {len(labels)}")


_CLASSES: dict[str, Callable[..., Metric]] = {
    "counter": CounterMetricFamily,
    "gauge": GaugeMetricFamily,
    "histogram": HistogramMetricFamily,
}


def single(family: Family, value: float | None) -> Metric:
    """Return a family without labels."""
    return Series(family).add(value=value).metric
