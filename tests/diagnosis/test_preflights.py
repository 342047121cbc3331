"""The summary of gangs with a preflight: healthy ones that are refused, slow hosts that are caught, added time."""

from typing import Any

from benchmarks.diagnosis.preflights import summary


def run(slow: str | None = None, checked: bool = True, left_out: str | None = None, **more: Any) -> dict[str, Any]:
    return {"slow": slow, "checked": checked, "left_out": left_out, "message": "", "seconds": 6.0, "load": 2.0} | more


def test_refused_healthy_gangs_and_caught_hosts_are_counted_and_the_added_time_is_of_healthy_ones() -> None:
    healthy = [run(seconds=8.0), run(checked=False, seconds=5.0), run(seconds=9.0), run(checked=False, load=11.5)]
    refused = run(left_out="h2", message="h2 reaches 50% of what others reach.", seconds=10.0)
    slow = [run("h1", left_out="h1", seconds=60.0), run("h2", left_out="h3"), run("h3")]
    assert summary([*healthy, refused, *slow]) == [
        "8 jobs at a load of 2 to 11.5",
        "healthy gangs refused: 1 of 3",
        "  h2 reaches 50% of what others reach.",
        "a job takes 9.00 s with a preflight and 5.50 s without (medians)",
        "slow hosts caught: 1 of 3",
    ]
    assert summary(slow)[1:] == ["slow hosts caught: 1 of 3"] and summary([]) == []
