"""The short table of a benchmark."""

from typing import Any

from rich.console import Console

from ringscope.cli.size_table import caption, size_table
from ringscope.client import ClearWinner
from ringscope.contracts.record import Measurement


def row(algorithm: str, size_bytes: int, p50_us: float, **fields: Any) -> Measurement:
    usual = dict.fromkeys(("time_us", "min_us", "mean_us", "p95_us", "p99_us", "max_us"), 1e5)
    place = {"collective": "all_reduce", "algorithm": algorithm, "transport": "mpi", "in_place": False}
    numbers = {"size_bytes": size_bytes, "count": 2, "dtype": "float32", "op": "sum", "ranks": 2, "iterations": 20}
    rest = {"algbw_gb_per_s": 1.0, "busbw_gb_per_s": 1.0, "wrong": 0, "stdev_us": 0.1, "cv_percent": 3.0, "time_ns": 0}
    return Measurement.model_validate(usual | place | numbers | rest | {"p50_us": p50_us} | fields)


def lines(rows: list[Measurement], *winners: ClearWinner) -> list[list[str]]:
    console = Console(width=80)
    with console.capture() as capture:
        console.print(size_table(rows, winners))
    return [line.split() for line in capture.get().splitlines()]


def test_each_size_has_the_medians_and_the_clear_winner() -> None:
    rows = [row("ring", 8, 5.0), row("ring", 1024, 20.0), row("direct", 8, 4.0), row("ring", 8, 1.0, in_place=True)]
    won = [
        ClearWinner(algorithm="direct", in_place=False, min_bytes=8, max_bytes=8),
        ClearWinner(algorithm="ring", in_place=True, min_bytes=8, max_bytes=1024),
    ]
    assert lines(rows, *won) == [
        ["SIZE", "ring", "direct", "FASTEST"],
        ["8", "B", "5", "us", "4", "us", "direct"],
        ["1", "KiB", "20", "us", "-"],
    ]


def test_a_size_without_a_clear_winner_is_tied() -> None:
    rows = [row("ring", 8, 5.0), row("direct", 8, 5.1), row("ring", 16, 5.0), row("direct", 16, 9.0)]
    won = ClearWinner(algorithm="ring", in_place=False, min_bytes=16, max_bytes=16)
    assert [line[-1] for line in lines(rows, won)] == ["FASTEST", "tied", "ring"]


def test_a_stall_in_one_cycle_does_not_show() -> None:
    rows = [row("ring", 8, us, cycle=cycle) for cycle, us in enumerate((5.0, 9_000.0, 6.0))]
    assert lines(rows)[1] == ["8", "B", "6", "us"]
    assert caption(rows) == (
        "all_reduce of float32 on 2 ranks, out of place: median time of an operation, 3 cycles of 20 iterations"
    )
    assert caption(rows[:1]).endswith("median time of an operation, 20 iterations")
