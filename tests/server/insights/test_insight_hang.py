"""Ranks that come no further, and for how long: a hang of all, a desync of some, and nothing that was not heard."""

from dataclasses import replace
from typing import Any

from ringscope.contracts.job import JobSpec
from ringscope.contracts.protocol import RankPulse
from ringscope_server.insights.hang import FRESH_SECONDS, Progress
from ringscope_server.insights.kinds import Finding
from ringscope_server.insights.limits import HANG_SECONDS, Limits
from ringscope_server.insights.windows import Sample

SCRIPT = Limits(hang_seconds=3, tells_steps=False)


def sample(rank: int, at: float, iterations: int = 10, step: int | None = 0, untimed: int = 0, **more: Any) -> Sample:
    fields = {"state": "R", "iterations": iterations, "untimed": untimed, "size_bytes": 1024, "waited_us": 0} | more
    return Sample(f"n{rank}", round(at * 1e6), at, RankPulse(rank=rank, step=step, **fields))


def heard(progress: Progress, at: float, *samples: Sample, limit: float | Limits = 3, ranks: int = 2) -> Finding | None:
    progress.note({one.pulse.rank: one for one in samples})
    return progress.judge(ranks, limit if isinstance(limit, Limits) else Limits(limit), at)


def test_a_gang_that_comes_no_further_hangs_after_the_limit_and_the_one_behind_is_named() -> None:
    progress = Progress()
    assert heard(progress, 0, sample(0, 0), sample(1, 0, step=None)) is None
    assert heard(progress, 2.9, sample(0, 2.9), sample(1, 2.9, step=None)) is None
    found = heard(progress, 3, sample(0, 3), sample(1, 3, step=None))
    assert found is not None
    assert (found.kind, found.rank, found.node) == ("hang", 1, "n1")
    assert found.message == (
        "The gang hangs: no rank has made progress for 3 s (limit 3 s). Rank 1 on node n1 has been between two calls "
        "since 00:00:00 UTC, after 10 iterations, at 1 KiB; rank 0 on node n0 has been in step 0 of a call since "
        "00:00:00 UTC, after 10 iterations, at 1 KiB."
    )
    assert [(rank["rank"], rank["still_seconds"]) for rank in found.evidence["ranks"]] == [(1, 3), (0, 3)]


def test_the_rank_for_which_others_wait_is_named_with_the_moment_since_when() -> None:
    progress, calls = Progress(), Limits(3, call="all_reduce")
    for at in (60, 62, 64):
        ranks = sample(0, at, step=14, awaits=1), sample(1, at, step=None)
        found = heard(progress, at, *ranks, limit=calls)
    assert found is not None and found.rank == 1
    assert "Rank 1 on node n1 has been between two calls since 00:01:00 UTC, after 10 iterations" in found.message
    assert "rank 0 on node n0 has been waiting for rank 1 in step 14 of all_reduce since 00:01:00 UTC" in found.message


def test_where_all_are_equally_far_nobody_is_blamed() -> None:
    progress = Progress()
    heard(progress, 0, sample(0, 0), sample(1, 0))
    found = heard(progress, 4, sample(0, 4), sample(1, 4))
    assert found is not None and found.rank is None
    assert found.message.count("in step 0 of a call since 00:00:00 UTC, after 10 iterations, at 1 KiB") == 2


def test_a_step_an_iteration_a_check_a_call_or_a_stage_is_progress() -> None:
    for change in ({"step": 1}, {"iterations": 11}, {"untimed": 1}, {"calls": 3}, {"stage": "reading cifar10"}):
        progress = Progress()
        heard(progress, 0, sample(0, 0), sample(1, 0))
        heard(progress, 2, sample(0, 2, **change), sample(1, 2, **change))
        assert heard(progress, 4, sample(0, 4, **change), sample(1, 4, **change)) is None, change


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
    assert "rank 1 on node n1 has been in step 0 of a call since 00:00:00 UTC" in found.message
    assert "4 s (limit 3 s)" in found.message


def test_a_script_is_silent_for_as_long_as_it_likes() -> None:
    progress = Progress()
    for at in range(0, 4000, 4):
        ranks = sample(0, at, step=None, iterations=0), sample(1, at, step=None, iterations=0)
        assert heard(progress, at, *ranks, limit=SCRIPT) is None


def test_a_script_of_which_one_rank_waits_in_a_call_does_not_hang_while_another_works() -> None:
    progress = Progress()
    for at in range(0, 400, 4):
        ranks = sample(0, at, awaits=1, iterations=0), sample(1, at, step=None, iterations=0)
        assert heard(progress, at, *ranks, limit=SCRIPT) is None


def test_a_script_whose_ranks_wait_for_each_other_in_calls_hangs() -> None:
    progress = Progress()
    for at in (0, 2, 4):
        waits, inside = sample(0, at, awaits=1), sample(1, at, step=None, calls=3, is_inside=True)
        found = heard(progress, at, waits, inside, limit=SCRIPT)
    assert found is not None and found.kind == "hang" and not found.is_own_doing
    assert "waiting for rank 1 in step 0 of a call" in found.message and "inside a call of a library" in found.message


def test_a_rank_that_has_ended_its_program_while_another_waits_for_it_is_told_after_a_second() -> None:
    progress = Progress()
    over = {"step": None, "has_finished": True}
    assert heard(progress, 0, sample(0, 0, awaits=1, step=2), sample(1, 0, **over)) is None
    found = heard(progress, 1, sample(0, 1, awaits=1, step=2), sample(1, 1, **over))
    assert found is not None and (found.rank, found.node, found.is_own_doing) == (1, "n1", True)
    assert found.message.startswith("Rank 1 on node n1 has ended its program without an error and will not come: ")
    assert "rank 0 on node n0 has been waiting for rank 1 in step 2 of a call since 00:00:00 UTC" in found.message


def test_the_last_message_of_a_rank_may_arrive_after_the_end_of_its_program_however_long_it_takes() -> None:
    progress, over = Progress(), {"step": None, "has_finished": True}
    for at in (0, 1):  # a parameter server sends the last answer
        assert heard(progress, at, sample(0, at, awaits=1, step=2), sample(1, at, step=2)) is None
    assert heard(progress, 2, sample(0, 2, awaits=1, step=2), sample(1, 2, **over)) is None
    found = heard(progress, 3, sample(0, 3, awaits=1, step=2), sample(1, 3, **over))
    assert found is not None and found.rank == 1


def test_a_rank_that_has_ended_its_program_keeps_nobody_who_does_not_wait_for_it_from_working() -> None:
    progress = Progress()
    for at in range(0, 400, 4):
        ranks = sample(0, at, step=None), sample(1, at, step=None, has_finished=True)
        assert heard(progress, at, *ranks, limit=SCRIPT) is None


def test_a_rank_in_a_collective_of_mpi4py_waits_in_vain_for_one_whose_program_is_over() -> None:
    progress, over = Progress(), {"step": None, "has_finished": True, "iterations": 0}
    waits = {"step": None, "collective": "Allreduce", "iterations": 0}
    found = [heard(progress, at, sample(0, at, **waits), sample(1, at, **over), limit=SCRIPT) for at in range(0, 13, 2)]
    assert found[:5] == [None] * 5, "the rest of its data may still be on its way"
    assert found[-1] is not None and (found[-1].rank, found[-1].is_own_doing) == (1, True)
    assert "rank 0 on node n0 has been in Allreduce of mpi4py since 00:00:00 UTC" in found[-1].message


def test_ranks_that_are_seen_in_collectives_of_mpi4py_are_not_judged_while_all_programs_run() -> None:
    progress = Progress()
    for at in range(0, 400, 4):
        ranks = (sample(rank, at, step=None, collective="Barrier") for rank in range(2))
        assert heard(progress, at, *ranks, limit=SCRIPT) is None


def test_ranks_that_are_blocked_in_different_collectives_of_torch_hang_once_all_are_blocked() -> None:
    progress, found = Progress(), None
    for at in range(0, 200, 4):
        other = "dist.all_reduce" if at >= 60 else ""  # until then rank 1 computes
        ranks = (sample(0, at, step=None, collective="dist.barrier"), sample(1, at, step=None, collective=other))
        if (found := heard(progress, at, *ranks, limit=SCRIPT)) is not None:
            break
    assert found is not None and found.kind == "hang"
    assert at > 60 + 2, "no desync while one computes, and none just because the other had waited"
    assert "Rank 0 on node n0 has been in barrier of torch.distributed since" in found.message
    assert "rank 1 on node n1 has been in all_reduce of torch.distributed since" in found.message


def test_a_rank_in_backward_of_ddp_waits_in_vain_for_one_whose_program_is_over() -> None:
    progress, over = Progress(), {"step": None, "has_finished": True, "iterations": 0}
    waits = {"step": None, "collective": "dist.backward", "iterations": 0}
    found = [heard(progress, at, sample(0, at, **waits), sample(1, at, **over), limit=SCRIPT) for at in range(0, 13, 2)]
    assert found[-1] is not None and (found[-1].rank, found[-1].is_own_doing) == (1, True)
    assert "rank 0 on node n0 has been in backward of DistributedDataParallel since" in found[-1].message


def test_loading_has_a_limit_of_its_own_and_says_what_it_does() -> None:
    progress, limits = Progress(), Limits(hang_seconds=3, load_seconds=12)
    stage = {"stage": "importing torch", "step": None, "iterations": 0}
    for at in (0, 4, 8):
        ranks = sample(0, at, awaits=1, iterations=0), sample(1, at, **stage)
        assert heard(progress, at, *ranks, limit=limits) is None
    found = heard(progress, 12, sample(0, 12, awaits=1, iterations=0), sample(1, 12, **stage), limit=limits)
    assert found is not None and found.rank == 1
    assert found.message.startswith(
        "The gang hangs while it loads: no rank has made progress for 12 s (limit load_seconds 12 s). "
        "Rank 1 on node n1 has been importing torch since 00:00:00 UTC; rank 0 on node n0 has been waiting for rank 1"
    )


def test_time_in_the_queue_for_a_core_does_not_count() -> None:
    progress = Progress()
    for at in range(0, 24, 4):
        busy = {"running_us": at * 100_000, "queued_us": at * 900_000}
        assert heard(progress, at, sample(0, at, **busy), sample(1, at, **busy)) is None
    for at in range(24, 36, 4):
        busy = {"running_us": at * 100_000, "queued_us": at * 900_000}
        found = heard(progress, at, sample(0, at, **busy), sample(1, at, **busy))
    assert found is not None, "in the end it is found all the same"


def test_the_queue_of_one_that_waits_for_another_rank_is_no_excuse() -> None:
    progress = Progress()
    for at in (0, 2, 4):
        busy = {"running_us": at * 100_000, "queued_us": at * 900_000}
        found = heard(progress, at, sample(0, at, awaits=1, **busy), sample(1, at, state="S"))
    assert found is not None


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
    assert progress.judge(2, Limits(3), FRESH_SECONDS + 60) is None
    assert heard(Progress(), 60, sample(0, 0), sample(1, 60), limit=1) is None
    assert heard(Progress(), 60, sample(0, 60), limit=0) is None, "rank 1 has told nothing yet"


def test_only_a_script_that_gives_no_limit_is_free_to_be_silent() -> None:
    script = {"kind": "script", "script": {"file": "a.py"}}
    benchmark, silent, limited, simulated = (
        Limits.of(JobSpec.model_validate(body))
        for body in (
            {},
            script,
            script | {"hang_seconds": 7, "load_seconds": 9},
            {"benchmark": {"transport": "simulated", "topology": {"shape": "8"}}},
        )
    )
    assert (benchmark.hang_seconds, benchmark.tells_steps, benchmark.call) == (HANG_SECONDS, True, "all_reduce")
    assert (silent.hang_seconds, silent.tells_steps) == (HANG_SECONDS, False)
    assert (limited.hang_seconds, limited.load_seconds, limited.tells_steps) == (7, 9, True)
    assert simulated.hang_seconds == float("inf")
