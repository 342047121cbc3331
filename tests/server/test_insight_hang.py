"""Who comes no further, and for how long: a hang of all, a desync of some, and nothing that was merely not heard."""

from dataclasses import replace

from ringscope.contracts.protocol import RankPulse
from ringscope_server.insights.hang import FRESH_SECONDS, Progress
from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.windows import Sample


def sample(rank: int, at: float, iterations: int = 10, step: int | None = 0, untimed: int = 0) -> Sample:
    pulse = RankPulse(
        rank=rank, state="R", step=step, iterations=iterations, untimed=untimed, size_bytes=1024, waited_us=0
    )
    return Sample(f"n{rank}", round(at * 1e6), at, pulse)


def heard(progress: Progress, at: float, *samples: Sample, limit: float = 3, ranks: int = 2) -> Finding | None:
    progress.note({one.pulse.rank: one for one in samples})
    return progress.judge(ranks, limit, at)


def test_a_gang_that_comes_no_further_hangs_after_the_limit_and_the_one_behind_is_named() -> None:
    progress = Progress()
    assert heard(progress, 0, sample(0, 0), sample(1, 0, step=None)) is None
    assert heard(progress, 2.9, sample(0, 2.9), sample(1, 2.9, step=None)) is None
    found = heard(progress, 3, sample(0, 3), sample(1, 3, step=None))
    assert found is not None
    assert (found.kind, found.rank, found.node) == ("hang", 1, "n1")
    assert found.message == (
        "The gang hangs: no rank has come further for 3 s (limit 3 s). Behind all others is rank 1 on node n1, between "
        "two calls, or in a library's, after 10 iterations, at 1 KiB."
    )
    assert [(rank["rank"], rank["still_seconds"]) for rank in found.evidence["ranks"]] == [(1, 3), (0, 3)]


def test_where_all_are_equally_far_nobody_is_blamed() -> None:
    progress = Progress()
    heard(progress, 0, sample(0, 0), sample(1, 0))
    found = heard(progress, 4, sample(0, 4), sample(1, 4))
    assert found is not None and found.rank is None
    assert found.message.endswith("All of them are in step 0 of a call, after 10 iterations, at 1 KiB.")


def test_a_step_an_iteration_or_a_check_is_progress() -> None:
    for change in ({"step": 1}, {"iterations": 11}, {"untimed": 1}):
        progress = Progress()
        heard(progress, 0, sample(0, 0), sample(1, 0))
        heard(progress, 2, sample(0, 2, **change), sample(1, 2, **change))
        assert heard(progress, 4, sample(0, 4, **change), sample(1, 4, **change)) is None


def test_the_limit_grows_with_the_mean_iteration() -> None:
    progress = Progress()
    for at in range(0, 40, 2):
        assert heard(progress, at, sample(0, at, iterations=at // 2), sample(1, at, iterations=at // 2)) is None
    for at in (42, 47, 52, 57):
        assert heard(progress, at, sample(0, at, iterations=19), sample(1, at, iterations=19)) is None
    found = heard(progress, 58.1, sample(0, 58.1, iterations=19), sample(1, 58.1, iterations=19))
    assert found is not None and found.evidence["limit_seconds"] == 20


def test_one_rank_that_stands_still_while_another_goes_on_is_out_of_step() -> None:
    progress = Progress()
    for at in range(5):
        found = heard(progress, at, sample(0, at, iterations=100 * at), sample(1, at))
    assert found is not None
    assert (found.kind, found.rank, found.node) == ("desync", 1, "n1")
    assert "rank 1 on node n1 has come no further for 4 s (limit 3 s)" in found.message


def test_a_clock_that_was_set_makes_nobody_hang() -> None:
    progress = Progress()
    heard(progress, 0, sample(0, 0), sample(1, 0))
    set_ahead = [replace(sample(rank, 1), heard_at=3601.0) for rank in (0, 1)]
    assert heard(progress, 3601, *set_ahead) is None
    assert heard(progress, 3, sample(0, 3), sample(1, 3)) is not None, "nor, set back, does it hide one that hangs"


def test_after_a_sleep_ranks_have_their_time_again() -> None:
    progress, limit = Progress(), FRESH_SECONDS + 3
    heard(progress, 0, sample(0, 0), sample(1, 0), limit=limit)
    assert heard(progress, 3600, sample(0, 3600), sample(1, 3600), limit=limit) is None
    assert heard(progress, 3602, sample(0, 3602), sample(1, 3602), limit=limit) is None
    assert heard(progress, 3603, sample(0, 3603), sample(1, 3603), limit=limit) is not None


def test_a_rank_that_was_not_heard_of_does_not_hang() -> None:
    progress = Progress()
    heard(progress, 0, sample(0, 0), sample(1, 0))
    assert progress.judge(2, 3, FRESH_SECONDS + 60) is None
    assert heard(Progress(), 60, sample(0, 0), sample(1, 60), limit=1) is None
    assert heard(Progress(), 60, sample(0, 60), limit=0) is None, "rank 1 has told nothing yet"
