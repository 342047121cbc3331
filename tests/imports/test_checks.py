"""Rows are recomputed from their printed digits; what is missing is inferred only where one answer is possible."""

import pytest

from ringscope.imports.checks import BUS, COUNT, TIME
from ringscope.imports.files import read_file
from ringscope.imports.model import Run

HEAD = "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n"
FOOT = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : {} \n"


def run(rows: str, before: str = "", footer: str = "") -> Run:
    (found,) = read_file((before + HEAD + rows + footer).encode()).runs
    return found


@pytest.mark.parametrize(
    ("row", "flags"),
    [
        ("1048576 262144 float sum -1 100.0 10.49 18.35 0 100.0 10.49 18.35 0", []),
        ("1048576 262144 float sum -1 100.0 11.49 20.11 0 100.0 10.49 18.35 0", [TIME]),
        ("1048576 262144 float sum -1 100.0 10.49 19.35 0 100.0 10.49 18.35 0", [BUS]),
        ("1048576 262143 float sum -1 100.0 10.49 18.35 0 100.0 10.49 18.35 0", [COUNT]),
    ],
)
def test_a_row_that_contradicts_itself_is_marked_with_the_identity(row: str, flags: list[str]) -> None:
    sound = "2097152 524288 float sum -1 200.0 10.49 18.35 0 200.0 10.49 18.35 0\n"
    found = run(f"{sound}{row}\n{sound}", "# Collective test starting: all_reduce_perf\n")
    assert found.ranks == 8
    assert found.rows[2].flags == flags
    assert found.rows[2].counts is not bool(flags)


@pytest.mark.parametrize(
    ("row", "collective", "ranks"),
    [
        ("1048576 262144 float sum -1 100.0 10.49 18.35 0 100.0 10.49 18.35 0", "all_reduce", 8),
        ("1048576 32768 float sum -1 100.0 10.49 9.18 0 100.0 10.49 9.18 0", "reduce_scatter", 8),
        ("1048576 32768 float none -1 100.0 10.49 9.18 0 100.0 10.49 9.18 0", "all_gather", 8),
        ("1048576 32768 float none -1 100.0 10.49 9.18 0 100.0 10.49 9.18 N/A", "alltoall", 8),
        ("1048576 32768 float none -1 100.0 10.49 9.18 N/A 100.0 10.49 9.18 N/A", None, 8),
        ("1048576 262144 float none 0 100.0 10.49 10.49 0 100.0 10.49 10.49 0", "broadcast", None),
        ("1048576 262144 float sum 0 100.0 10.49 10.49 0 100.0 10.49 10.49 0", "reduce", None),
        ("1048576 262144 float sum -1 100.0 10.49 10.49 0 100.0 10.49 10.49 N/A", "sendrecv", None),
        ("1048576 262144 float sum -1 100.0 10.49 10.49 0 100.0 10.49 10.49 0", "all_reduce", 2),
    ],
)
def test_collective_and_ranks_follow_from_the_columns_where_only_one_fits(
    row: str, collective: str | None, ranks: int | None
) -> None:
    found = run(f"{row}\n")
    assert (found.collective, found.ranks) == (collective, ranks)


def test_ranks_are_not_chosen_among_several() -> None:
    row = "1048576 262144 float sum -1 1000.0 1.05 2.09 0 1000.0 1.05 2.09 0\n"
    found = run(row, "# Collective test starting: all_reduce_perf\n")
    assert found.ranks is None
    assert any("does not follow from busbw / algbw" in note for note in found.notes)


ROW = "{size} {count} float sum -1 {time} 10.49 18.35 0 {time} 10.49 18.35 0\n"


def rows(*sizes_mib: int) -> str:
    return "".join(ROW.format(size=mib << 20, count=mib << 18, time=f"{100 * mib:.1f}") for mib in sizes_mib)


def test_a_footer_that_is_not_the_mean_makes_a_run_partial() -> None:
    assert not run(rows(1, 2), footer=FOOT.format("18.35")).partial
    assert run(rows(1, 2), footer=FOOT.format("17.35")).partial
    assert run(rows(1, 2)).partial, "there is no footer"


def test_a_size_that_the_step_would_have_is_missed() -> None:
    step = "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 8388608 step: 2(factor) warmup iters: 1\n"
    assert not run(rows(1, 2, 4), step, FOOT.format("18.35")).partial
    assert not run(rows(1, 2, 1, 2), step, FOOT.format("18.35")).partial, "the sweep is repeated"
    assert run(rows(1, 4), step, FOOT.format("18.35")).partial


def test_wrong_elements_and_the_tools_own_verdict_make_a_run_failed() -> None:
    wrong = "1048576 262144 float sum -1 100.0 10.49 18.35 3 100.0 10.49 18.35 0\n"
    found = run(wrong, footer=FOOT.format("18.35"))
    assert found.failed and not found.rows[0].counts and found.rows[1].counts
    assert run(rows(1), footer="# Out of bounds values : 1 FAILED\n# Avg bus bandwidth : 18.35\n").failed
    assert run(rows(1), footer="# Out of bounds values : 0 OK\n# Avg bus bandwidth : 18.35 FAILED\n").failed


def test_times_of_the_launch_are_no_times_of_the_operation() -> None:
    """The column has the time of the launch if -C is set, while the bandwidth counts the whole operation."""
    head = HEAD.replace("time", "cputime")
    row = "1048576 262144 float sum -1 4.1 10.49 18.35 0 4.0 10.49 18.35 0\n"
    (found,) = read_file((head + row).encode()).runs
    assert [(one.time_us, one.flags) for one in found.rows] == [(None, []), (None, [])]


def test_more_columns_are_told_by_their_names() -> None:
    head = "#  size count type redop root " + "time algbw busbw #wrong i_min i_max i_p99 i_cv% " * 2 + " timestamp\n"
    numbers = "100.0 10.49 18.35 0 90.00 120.0 119.0 3.10 "
    (found,) = read_file((head + f"1048576 262144 float sum -1 {numbers * 2} 2026-11-28 10:20:30\n").encode()).runs
    assert [one.busbw.value for one in found.rows if one.busbw] == [18.35, 18.35]
    assert found.ranks == 8
