import pytest

from ringscope.contracts.record import Failure
from ringscope.rank.local import Run

BANNER = "=   PID 7 RUNNING AT host\n=   EXIT CODE: 9\n"


@pytest.mark.parametrize(
    ("codes", "hang_ups", "reason"),
    [
        ("0,9", {1: 0}, "Rank 1 was killed by SIGKILL (9) in step 4."),
        ("9,9,0", {1: 0, 0: 1, 2: 2}, "Rank 1 was killed by SIGKILL (9) in step 4."),
        ("9,11", {1: 0, 0: 1}, "Rank 1 was killed by SIGSEGV (11) in step 4."),
        ("9,9", {}, "Rank 0 was killed by SIGKILL (9)."),
    ],
)
def test_of_ranks_that_were_killed_the_first_to_hang_up_is_named(
    codes: str, hang_ups: dict[int, int], reason: str
) -> None:
    run = Run(exit_code=9, hang_ups=hang_ups, steps={1: 4})
    run.hear(f"{BANNER}[mpiexec@host] Exit codes: [host] {codes}\n")
    assert run.output == BANNER
    assert run.reason == reason


@pytest.mark.parametrize("codes", ["", "[mpiexec@host] Exit codes: [host] 768,9\n"])
def test_without_a_signal_the_last_lines_are_quoted(codes: str) -> None:
    run = Run(exit_code=3, hang_ups={0: 0, 1: 1})
    run.hear(f"Ouch\n{codes}")
    assert run.reason == "mpiexec ended with exit code 3.\nOuch"


LOST = "Rank 1 lost rank 0 in step 0: its process has ended."


@pytest.mark.parametrize(
    ("codes", "failures", "reason"),
    [
        ("9,1", [LOST], f"Rank 0 was killed by SIGKILL (9) in step 4.\nRank 1: {LOST}"),
        ("1280,256", [LOST], f"Rank 0 ended with exit code 5 in step 4.\nRank 1: {LOST}"),
        ("0,256", [LOST], f"Rank 1: {LOST}"),
        ("9,256", [LOST, "It cannot go on."], "Rank 1: It cannot go on."),
    ],
)
def test_how_a_rank_ended_comes_before_what_those_say_that_lost_it(
    codes: str, failures: list[str], reason: str
) -> None:
    run = Run(exit_code=9, hang_ups={0: 0, 1: 1}, steps={0: 4})
    run.hear(f"{BANNER}[mpiexec@host] Exit codes: [host] {codes}\n")
    for message in failures:
        run.take(Failure(rank=1, reason="rank_exit", message=message, lost_rank=0 if message == LOST else None))
    assert run.reason == reason
