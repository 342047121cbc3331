"""The summary of links that a benchmark measures again and again, as a check of nodes judges them."""

from benchmarks.diagnosis.checks import summary


def test_directions_are_held_against_the_healthy_runs_before_them() -> None:
    healthy = {"planted": "healthy", "ways": {"a to b": [98.0, 102.0], "b to a": [98.0, 102.0]}}
    outlier = {"planted": "healthy", "ways": {"a to b": [60.0, 62.0]}}
    loss = {"planted": "loss", "ways": {"a to b": [88.0, 92.0], "b to a": [89.0, 94.5], "c to d": [1.0, 2.0]}}
    wide = {"planted": "healthy", "ways": {"a to b": [97.0, 103.0], "b to a": [80.0, 110.0]}}
    told = summary([healthy, outlier, loss, healthy, healthy, loss, wide])
    assert told[0] == "healthy: 3 directions, 2 fine, 0 low, 1 could not judge"
    assert told[5] == "loss: 2 directions, 1 fine, 1 low, 0 could not judge"
    assert told[6] == "  a margin of 0.03 finds 2 of them low"
    assert told[9] == "  a margin of 0.06 finds 1 of them low"
