"""The short table of a benchmark."""

from typing import Any

import pytest
from rich.console import Console

from ringscope.cli.size_table import caption, size_table
from ringscope.client.views.results import SizeFastest
from ringscope.contracts.record import Measurement


def row(algorithm: str, size_bytes: int, p50_us: float, **fields: Any) -> Measurement:
    usual = dict.fromkeys(("time_us", "min_us", "mean_us", "p95_us", "p99_us", "max_us"), 1e5)
    place = {"collective": "all_reduce", "algorithm": algorithm, "transport": "mpi", "in_place": False}
    numbers = {"size_bytes": size_bytes, "count": 2, "dtype": "float32", "op": "sum", "ranks": 2, "iterations": 20}
    rest = {"algbw_gb_per_s": 1.0, "busbw_gb_per_s": 1.0, "wrong": 0, "stdev_us": 0.1, "cv_percent": 3.0, "time_ns": 0}
    return Measurement.model_validate(usual | place | numbers | rest | {"p50_us": p50_us} | fields)


def lines(rows: list[Measurement], fastest: dict[int, list[str]], is_terminal: bool = False) -> list[list[str]]:
    console = Console(width=80, force_terminal=is_terminal, color_system="standard" if is_terminal else None)
    found = [SizeFastest(size_bytes=size, algorithms=names) for size, names in fastest.items()]
    with console.capture() as capture:
        console.print(size_table(rows, found))
    return [line.split() for line in capture.get().splitlines()]


def test_each_size_has_the_medians_and_the_clear_winner() -> None:
    rows = [row("ring", 8, 5.0), row("ring", 1024, 20.0), row("direct", 8, 4.0), row("ring", 8, 1.0, in_place=True)]
    assert lines(rows, {8: ["direct"]}) == [
        ["SIZE", "ring", "direct", "FASTEST"],
        ["8", "B", "5", "us", "4", "us", "direct"],
        ["1", "KiB", "20", "us", "-"],
    ]


def test_those_that_tie_are_named_and_stand_out_from_those_that_they_beat() -> None:
    rows = [row(name, 8, time) for name, time in (("ring", 5.0), ("direct", 5.1), ("mpi", 65.0))]
    plain, styled = (lines(rows, {8: ["ring", "direct"]}, is_terminal)[1] for is_terminal in (False, True))
    assert " ".join(plain) == "8 B 5 us 5.1 us 65 us ring and direct tie"
    assert [cell for cell in styled if "\x1b[1m" in cell] == ["\x1b[1m5", "\x1b[1m5.1"]


@pytest.mark.parametrize(
    ("fastest", "told"),
    [([], "no clear winner"), (["c", "b", "a"], "a, b and c tie"), (["a", "b", "c", "d"], "all tie")],
)
def test_the_last_column_is_short_and_claims_no_tie_of_what_is_not_compared(fastest: list[str], told: str) -> None:
    rows = [row(name, 8, 5.0) for name in "abcd"]
    assert " ".join(lines(rows, {8: fastest} if fastest else {})[1]).endswith(f"5 us {told}")


def test_a_stall_in_one_cycle_does_not_show() -> None:
    rows = [row("ring", 8, us, cycle=cycle) for cycle, us in enumerate((5.0, 9_000.0, 6.0))]
    assert lines(rows, {})[1] == ["8", "B", "6", "us"]
    assert caption(rows) == (
        "all_reduce of float32 on 2 ranks, out of place: median time of an operation, 3 cycles of 20 iterations"
    )
    assert caption(rows[:1]).endswith("median time of an operation, 20 iterations")
