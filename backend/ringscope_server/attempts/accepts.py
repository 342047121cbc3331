"""The records that an attempt may report, by its job's specification: a row of another sweep is no result of this one.
Pure.
"""

from functools import lru_cache
from typing import NamedTuple

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.diagnosis.record import DiagnosisVerdict, PairMeasured
from ringscope.contracts.job import JobSpec
from ringscope.contracts.record import Measurement, Record
from ringscope.contracts.search.record import SearchBegin, SearchPlan, SearchRun, SearchTarget
from ringscope.contracts.training.record import AlgorithmChanged, Collectives, Epoch
from ringscope.contracts.words.collectives import REDUCING, elements
from ringscope.contracts.words.dtypes import ITEMSIZE_BYTES

_KNOWN_SWEEPS = 64  # the counts of 50,000 sizes at most


def accepts(spec: JobSpec, told: Record) -> bool:
    """Return whether this job can report the record, whatever its times are."""
    if isinstance(told, Measurement) and spec.benchmark is not None:
        return _SweepRows.of(spec.benchmark, spec.ranks).has(told)
    if isinstance(told, Epoch) and spec.training is not None:
        return 1 <= told.epoch <= spec.training.epochs
    if isinstance(told, AlgorithmChanged):
        return spec.training is not None or spec.script is not None
    if isinstance(told, Collectives):
        return spec.script is not None
    if isinstance(told, SearchPlan | SearchBegin | SearchRun | SearchTarget):
        return spec.strategy_search is not None
    if isinstance(told, PairMeasured):
        return spec.measured_pairs is not None and {told.first, told.second} <= set(range(spec.ranks))
    if isinstance(told, DiagnosisVerdict):
        return spec.measured_pairs is not None
    return True


class _SweepRows(NamedTuple):
    """The rows of a sweep: the fields that all have in common, and those that distinguish them."""

    alike: tuple[str, str, str, int]
    algorithms: tuple[str, ...]
    counts: dict[int, int]  # number of elements, by size in bytes

    @classmethod
    @lru_cache(maxsize=_KNOWN_SWEEPS)
    def of(cls, spec: BenchmarkSpec, ranks: int) -> "_SweepRows":
        """Return the rows of a sweep over this number of ranks."""
        itemsize, op = ITEMSIZE_BYTES[spec.dtype], spec.op if spec.collective in REDUCING else "none"
        sizes = (elements(spec.collective, size, itemsize, ranks) for size in spec.sizes())
        counts = {total * itemsize: count for count, total in sizes}
        return cls((spec.collective, spec.dtype, op, ranks), spec.algorithms, counts)

    def has(self, row: Measurement) -> bool:
        """Return whether the row is one of them, in any cycle, in place or not."""
        is_alike = (row.collective, row.dtype, row.op, row.ranks) == self.alike
        return is_alike and row.algorithm in self.algorithms and self.counts.get(row.size_bytes) == row.count
