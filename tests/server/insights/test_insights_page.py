"""docs/insights.md names every kind, and the limits that the code has."""

import re
from pathlib import Path

import pytest

from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import MAX_STACK_CHARACTERS
from ringscope_server.insights import (
    hang,
    hysteresis,
    limits,
    low_bandwidth,
    memory_growth,
    rows,
    slow_link,
    step_windows,
    store,
    watch,
)
from ringscope_server.insights.kinds import KINDS, MAX_ACTIVE
from ringscope_server.insights.stragglers import causes, straggler
from ringscope_server.results import comparable as alike

PAGE = " ".join((Path(__file__).parents[3] / "docs" / "insights.md").read_text().split())


def test_every_kind_has_its_row() -> None:
    assert tuple(re.findall(r"\| `(\w+)` \|", PAGE)) == KINDS


@pytest.mark.parametrize(
    "sentence",
    [
        f"at most {MAX_ACTIVE} at once",
        f"score < {straggler.MAX_SCORE}, own - median >= {straggler.MIN_OWN_SHARE * 100:.0f} % of the time, "
        f"in {straggler.OWN_WINDOWS} windows",
        f"at least {straggler.MIN_QUEUED_SHARE * 100:.0f} % of the time more than the median rank, "
        f"in {straggler.QUEUED_WINDOWS} windows",
        f"{straggler.MIN_COMPUTE_US / 1e3:.0f} ms above the median in {straggler.STEP_WINDOWS} windows in a row",
        f"if one part of its time explains at least {causes.MIN_EXPLAINED * 100:.0f} % of",
        f"over after {hysteresis.CLEAR_WINDOWS} clean windows",
        f"in windows of {step_windows.WINDOW_STEPS} steps of one algorithm and size",
        f"Either needs {slow_link.WINDOWS} windows in a row",
        f"queues for a core {watch.CROWDED_SHARE * 100:.0f} % of its time",
        f"{step_windows.CROWDED_MIN_US / 1e3:.0f} ms instead of {step_windows.MIN_US / 1e3:.0f}",
        f"of the job ({limits.HANG_SECONDS:.0f};",
        f"`load_seconds` of the job ({JobSpec().load_seconds};",
        f"at most {store.MAX_STACKS} ranks, {store.MAX_STACK_CHARACTERS >> 10} KiB in total and "
        f"{MAX_STACK_CHARACTERS:,} characters per rank",
        f"{memory_growth.SCALES_SECONDS[0]} s apart (one minute), and thirteen that are "
        f"{memory_growth.SCALES_SECONDS[1]} s apart",
        f"if {memory_growth.MIN_RISING * 100:.0f} % of the readings are above the one before, the growth is at least "
        f"{memory_growth.MIN_BYTES >> 20} MiB and {memory_growth.MIN_PART * 100:.0f} % of the first reading",
        f"below {low_bandwidth.MIN_RATIO} of the baseline",
        f"among the last {alike.MAX_JOBS} jobs",
        f"at most {rows.MAX_STEP_ROWS:,} of its new steps",
    ],
)
def test_limits_are_those_of_the_code(sentence: str) -> None:
    assert sentence in PAGE


def test_ten_mean_iterations() -> None:
    assert hang.MEAN_STEPS == 10 and "ten mean iterations" in PAGE
