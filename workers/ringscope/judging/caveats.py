"""The sentences that a reader needs before comparing the numbers of a job, in the same words as on the page. Pure."""

from collections.abc import Sequence

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.job import IMPORTED
from ringscope.contracts.words.machine import shared_cores
from ringscope.contracts.words.units import format_size
from ringscope.judging.comparison import Spread, is_unstable
from ringscope.judging.mode import mode_of, non_default


def is_foreign(kind: str, is_adopted: bool) -> bool:
    """Return whether another tool measured the job, and nobody said that it counts as a run of this cluster."""
    return kind == IMPORTED and not is_adopted


def caveat_sentences(
    benchmark: BenchmarkSpec | None,
    is_foreign: bool,
    ranks: int,
    cores: int | None,
    disturbed_by: str | None,
    lowered_max_bytes: int | None = None,
) -> list[str]:
    """Return the caveats as sentences, with their reasons; ``disturbed_by`` is that of the last attempt.

    ``lowered_max_bytes`` is the largest size that fitted into memory; None if all sizes did.
    """
    crowded = shared_cores(ranks, cores)
    asked = non_default(mode_of(benchmark)) if benchmark else {}
    largest = "" if lowered_max_bytes is None else format_size(lowered_max_bytes)
    return [
        *([f"Sizes above {largest} were left out: their buffers do not fit into memory."] if largest else []),
        *(["Another tool measured it elsewhere; it counts for nothing here."] if is_foreign else []),
        *(f"It asked {one}. It is not comparable with jobs in the default mode." for one in asked.values()),
        *([f"{crowded}: the ranks shared cores, which affects every time."] if crowded else []),
        *([f"{disturbed_by} It comes after undisturbed jobs and counts less in baselines."] if disturbed_by else []),
    ]


def unstable_sentences(rows: Sequence[Spread]) -> list[str]:
    """Return a sentence if the times of some rows are unstable."""
    unstable = sum(map(is_unstable, rows))
    return [f"The times of {unstable} of {len(rows)} rows are unstable."] if unstable else []
