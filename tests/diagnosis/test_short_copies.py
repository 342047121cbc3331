"""The summary of short copies of memory: which are low beside earlier ones, and beside how much other work."""

from typing import Any

from benchmarks.diagnosis.short_copies import one, summary


def run(low: float | None, other_share: float = 0.0, seconds: float = 0.1) -> dict[str, Any]:
    return {"low": low, "high": low and low + 1, "seconds": seconds, "other_share": other_share, "load": 2.0}


def test_a_copy_is_low_below_half_of_the_five_before_it_at_least() -> None:
    runs = [run(4), *[run(20)] * 4, run(None), run(12), run(2, 0.5), run(0.5), run(0.2, seconds=1.0)]
    assert summary(runs) == [
        "10 copies at a load of 2 to 2; each took 0.10 s (median), 95% at most 0.10 s",
        "9 have an interval, from 0.2 to 21 GB/s",
        "low: 0 of 4; beside programs that used at most 10% of the processors: 0 of 3",
    ]
    found = summary([*[run(20)] * 5, run(8, 0.5), run(2)])
    assert found[-1] == "low: 2 of 2; beside programs that used at most 10% of the processors: 1 of 1"


def test_a_copy_is_measured_with_the_load_beside_it() -> None:
    found = one()
    assert found["seconds"] > 0 and 0 <= found["other_share"] <= 1 and (found["low"] is None) == (found["high"] is None)
