"""A leak is found within a minute by steadily growing memory; memory that libraries and caches take is no leak."""

from collections.abc import Callable

import pytest

from ringscope.contracts.protocol import RankPulse
from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.limits import Limits
from ringscope_server.insights.memory_growth import MIN_BYTES, READINGS, MemoryGrowth
from ringscope_server.insights.watch import News, Watch
from ringscope_server.insights.windows import Sample

MIB = 1 << 20
BEGIN = 200 * MIB


def sample(rank: int, second: int, anonymous_bytes: int | None, **more: object) -> Sample:
    fields = {"state": "R", "iterations": 1 + second, "untimed": 0, "size_bytes": 8, "waited_us": 0} | more
    pulse = RankPulse.model_validate(fields | {"rank": rank, "anonymous_bytes": anonymous_bytes})
    return Sample(f"n{rank}", second * 1_000_000, float(second), pulse)


def found(memory: Callable[[int], float], seconds: int = 61, **more: object) -> list[Finding]:
    """The last findings about a rank that has so much memory in each second."""
    growth, last = MemoryGrowth(), list[Finding]()
    for second in range(seconds):
        news = growth.add({0: sample(0, second, round(memory(second)), **more)})
        last = last if news is None else news
    return last


def test_a_leak_is_found_after_a_minute_with_its_size_and_not_before() -> None:
    assert found(lambda second: BEGIN + second * MIB, seconds=60) == []
    (leak,) = found(lambda second: BEGIN + second * MIB)
    assert (leak.kind, leak.rank, leak.node, leak.windows) == ("memory_growth", 0, "n0", 1)
    assert leak.message == "The memory of rank 0 on node n0 grows steadily: by 60 MiB in 60 s, to 260 MiB."
    assert leak.evidence["bytes_per_second"] == MIB


def test_a_slow_leak_is_found_after_twelve_minutes() -> None:
    (leak,) = found(lambda second: BEGIN + second * MIB / 15, seconds=721)
    assert "by 48 MiB in 720 s" in leak.message


@pytest.mark.parametrize(
    ("what", "memory"),
    [
        ("nothing", lambda second: BEGIN),
        ("a cache that fills", lambda second: BEGIN + 300 * MIB * (1 - 2 ** (-second / 10))),
        ("one jump", lambda second: BEGIN + second + 300 * MIB * (second > 40)),
        ("up and down", lambda second: BEGIN + 300 * MIB * (second // 5 % 2)),
        ("just under the least growth", lambda second: BEGIN + second * (MIN_BYTES - 1) / 60),
        ("little of much", lambda second: 100 * BEGIN + second * 10 * MIB),
    ],
)
def test_what_is_no_leak(what: str, memory: Callable[[int], float]) -> None:
    assert found(memory) == [], what


def test_larger_messages_need_more_memory_and_are_no_leak() -> None:
    growth = MemoryGrowth()
    for second in range(200):
        assert not growth.add({0: sample(0, second, BEGIN + second * 10 * MIB, size_bytes=second // 20)})


def test_before_the_first_step_and_in_a_stage_nothing_is_read() -> None:
    assert found(lambda second: BEGIN + second * MIB, iterations=0) == []
    assert found(lambda second: BEGIN + second * MIB, stage="evaluating") == []
    growth = MemoryGrowth()
    assert growth.add({0: sample(0, 1, None)}) is None, "an earlier version of the agent"


def test_a_rank_that_was_away_for_long_begins_anew() -> None:
    growth = MemoryGrowth()
    seconds = [*range(0, 30, 5), *range(60, 60 + 5 * (READINGS - 1), 5)]
    told = [growth.add({0: sample(0, second, BEGIN + second * MIB)}) for second in seconds]
    assert not any(told)
    assert growth.add({0: sample(0, 120, BEGIN + 120 * MIB)})


def test_a_program_that_leaks_on_all_ranks_has_one_insight_which_ends_when_it_stops() -> None:
    watch, opened, over = Watch(3, Limits(60), {}), [], set[object]()
    for second in range(0, 150, 5):
        held = [BEGIN + min(second, 70) * (1 + rank) * MIB for rank in range(3)]
        samples = {rank: sample(rank, second, held[rank]) for rank in range(3)}
        judgement = watch.look(News(float(second), True, samples), {found.key for found in opened})
        opened += judgement.opened[-1:] if not opened else []
        over |= judgement.over
    (leak,) = opened
    assert (leak.key, leak.rank) == (("memory_growth", None), 2)
    assert leak.message.endswith("; that of 2 more ranks grows, too.")
    assert [one["rank"] for one in leak.evidence["ranks"]] == [2, 1, 0]
    assert over == {("memory_growth", None)}
