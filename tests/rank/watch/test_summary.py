"""The last lines about a watched script."""

from ringscope.rank.watch.summary import Summary
from ringscope.train.step_reporter import Step


def step(ms: float, waited_ms: float = 1.0, samples: int | None = 8, input_ms: float | None = 1.0) -> Step:
    input_us = None if input_ms is None else input_ms * 1e3
    return Step(0, ms * 1e3, waited_ms * 1e3, waited_ms * 1e3, 64, samples=samples, input_us=input_us)


def test_steps_and_collectives_are_told_in_two_lines() -> None:
    summary = Summary(4)
    for ms in (10.0, 10.0, 12.0, 8.0):
        summary.add(step(ms))
    totals = {("barrier", 0): [2, 1_000_000], ("all_reduce of DDP", 4 << 20): [4, 0], ("all_reduce", 8): [1, 500_000]}
    assert summary.lines(totals) == [
        "4 steps of rank 0: median 10 ms, p99 12 ms, 800 samples/s on each rank; 10% of the time waiting for other "
        "ranks, 10% for samples.",
        "Collectives of rank 0: 4 x all_reduce of DDP of 4 MiB; 1 x all_reduce of 8 B (0.5 ms each); 2 x barrier "
        "(0.5 ms each).",
    ]


def test_what_was_not_seen_is_not_told() -> None:
    assert Summary(2).lines({}) == []
    summary = Summary(1)
    summary.add(step(2.0, 0.0, None, None))
    assert summary.lines({}) == ["1 step of rank 0: median 2 ms, p99 2 ms; 0% of the time waiting for other ranks."]


def test_many_kinds_of_collectives_are_cut() -> None:
    totals = {("broadcast", size): [1, 1000] for size in range(1, 12)}
    (line,) = Summary(1).lines(totals)
    assert line.endswith("; and 3 other kinds.")
