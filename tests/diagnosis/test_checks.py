"""The summary of links that a benchmark measures again and again, as a check of nodes judges them."""

from benchmarks.diagnosis.checks import summary


def test_directions_are_counted_by_their_judgement_and_by_other_margins() -> None:
    before = [98.0, 102.0]
    runs = [
        {"planted": "healthy", "ways": {"a to b": [97.0, 103.0, *before], "b to a": [80.0, 110.0, *before]}},
        {"planted": "loss", "ways": {"a to b": [88.0, 92.0, *before], "b to a": [89.0, 94.5, *before]}},
    ]
    told = summary(runs)
    assert told[0] == "healthy: 2 directions, 1 fine, 0 low, 1 could not judge"
    assert told[5] == "loss: 2 directions, 1 fine, 1 low, 0 could not judge"
    assert told[6] == "  a margin of 0.03 finds 2 of them low"
    assert told[9] == "  a margin of 0.06 finds 1 of them low"
