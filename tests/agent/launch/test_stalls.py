"""The stall watch reports a rank that is stopped or held by the kernel, and its sentence names the rank."""

import pytest

from ringscope_agent.launch.stalls import KERNEL_SECONDS, STALL_SECONDS, Stall, StallWatch

PIDS = {2: 102, 3: 103, 4: 104}


def first_stall(*looks: dict[int, str], seconds: float = 1.0) -> tuple[int, Stall] | None:
    """Return the number of the first look that reports a stall, and the stall; None if no look reports one."""
    watch = StallWatch("h4")
    for number, states in enumerate(looks):
        if stall := watch.look(states, PIDS, now=100 + number * seconds):
            return number, stall
    return None


def test_a_stopped_rank_is_named_after_four_seconds() -> None:
    found = first_stall({2: "S", 3: "R"}, *[{2: "R", 3: "T"}] * 9)
    assert found is not None
    assert found[0] == 1 + STALL_SECONDS
    assert found[1] == Stall(
        rank=3,
        message="Rank 3 on node h4 (pid 103) has been stopped for 4 s (state T: by SIGSTOP or SIGTSTP), "
        "and all others wait for it.",
    )


def test_of_several_the_first_is_named_and_the_others_are_counted() -> None:
    found = first_stall(*[{4: "T", 2: "T", 3: "T"}] * 9)
    assert found is not None and found[1].rank == 2
    assert found[1].message.startswith("Rank 2 on node h4 (pid 102), as 2 more there, has been stopped for 4 s")


def test_one_that_goes_on_in_between_is_not_told() -> None:
    assert first_stall(*([{3: "T"}] * 4 + [{3: "R"}]) * 5) is None


@pytest.mark.parametrize("state", ["R", "S", "t", "Z", ""])
def test_what_runs_waits_or_is_debugged_is_not_told(state: str) -> None:
    assert first_stall(*[{3: state}] * 100) is None


def test_one_that_the_kernel_holds_gets_more_time() -> None:
    found = first_stall(*[{3: "D"}] * 40)
    assert found is not None and found[0] == KERNEL_SECONDS
    assert "stuck in the kernel for 30 s (state D" in found[1].message


def test_a_watcher_that_stood_still_itself_looks_again_before_it_tells() -> None:
    found = first_stall(*[{3: "T"}] * 9, seconds=1000)
    assert found is not None and found[0] == STALL_SECONDS / 2
