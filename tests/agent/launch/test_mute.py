"""A process that owes an answer is called mute only when it cannot merely be slow."""

import pytest

from ringscope_agent.launch.mute import LOOK_SECONDS, MUTE_SECONDS, Mute, MuteWatch
from ringscope_agent.launch.stalls import KERNEL_SECONDS


def mute_after(state: str = "S", crowding: float = 1.0, queued_share: float = 0.0, every_seconds: float = 0.5) -> float:
    """Return for how many seconds the process owes its answer until it is mute; 1000 if it never is."""
    watch = MuteWatch()
    for look in range(int(1000 / every_seconds)):
        now = look * every_seconds
        watch.look(True, state, int(now * queued_share * 1e9), now)
        if watch.is_mute(state, crowding):
            return now
    return 1000.0


@pytest.mark.parametrize("state", ["R", "S"])
def test_a_process_that_owes_an_answer_is_mute_after_six_seconds(state: str) -> None:
    assert mute_after(state) == MUTE_SECONDS


def test_a_busy_machine_gets_as_many_times_as_long_as_it_has_processes_for_each_core() -> None:
    assert mute_after(crowding=7.5) == 7.5 * MUTE_SECONDS


def test_the_time_in_which_it_was_ready_to_run_and_got_no_core_does_not_count() -> None:
    assert mute_after("R", queued_share=0.75) == pytest.approx(4 * MUTE_SECONDS, abs=LOOK_SECONDS)
    assert mute_after("R", queued_share=1.0) == 1000.0


def test_one_that_the_kernel_holds_gets_as_long_as_a_rank_that_waits_for_a_disk() -> None:
    assert mute_after("D") == KERNEL_SECONDS


def test_one_under_a_debugger_is_never_mute() -> None:
    assert mute_after("t") == 1000.0


def test_looks_that_come_late_count_as_little_as_the_watching_process_may_have_stood_still() -> None:
    assert mute_after(every_seconds=100.0) == 100.0 * MUTE_SECONDS / (2 * LOOK_SECONDS)


def test_an_answer_makes_up_for_all_before_it() -> None:
    watch = MuteWatch()
    for look in range(1000):
        watch.look(look % 12 != 0, "S", 0, look * LOOK_SECONDS)
        assert not watch.is_mute("S", 1.0)


def test_the_sentence_has_pid_and_state() -> None:
    said = Mute("The shim of the ranks", 7, 6.2, "R").sentence("n1")
    how = "not answered for 6 s (state R: it runs, as in an endless loop)"
    assert said == f"The shim of the ranks on node n1 (pid 7) has {how}"
