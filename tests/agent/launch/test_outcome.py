from typing import Any

from ringscope.contracts.protocol import GangMember
from ringscope.contracts.record import Check, Done, Failure, Hello
from ringscope_agent.launch.hydra import ExitReport, RankEnd
from ringscope_agent.launch.outcome import Evidence, Outcome, RankBoard, decide

GANG = [GangMember(node="a", address="10.0.0.1", slots=2), GangMember(node="b", address="10.0.0.2", slots=2)]


def board(*hellos: int) -> RankBoard:
    board = RankBoard(range(2))
    for rank in hellos:
        board.fold(Hello(rank=rank, local_rank=rank, ranks=4, pid=100 + rank, host="a", time_ns=0))
    return board


def judge(board: RankBoard, exit_code: int | None, ends: list[RankEnd] | None = None, **more: Any) -> Outcome:
    exits = ExitReport(GANG)
    exits.ends = ends or []
    return decide(Evidence("a", GANG, board, exits, exit_code, more.pop("words", {}), **more))


def test_all_done_is_completed() -> None:
    ranks = board(0, 1)
    ranks.fold(Done(rank=0, dropped=0))
    assert judge(ranks, 0).reason == "rank_exit"
    ranks.fold(Done(rank=1, dropped=0))
    ranks.hang_up(1, 0)
    assert not ranks.has_trouble
    assert judge(ranks, 0) == Outcome("completed")


def test_the_own_account_of_a_rank_beats_the_exit_codes_and_a_wrong_result_beats_all() -> None:
    ranks = board(0, 1)
    ranks.fold(Failure(rank=0, reason="rank_exit", message="Rank 0 lost a peer."))
    assert judge(ranks, 9, [RankEnd(1, -9)]).message == "Rank 0 lost a peer."
    ranks.fold(Failure(rank=1, reason="verification_failed", message="Rank 1 found 2 wrong elements."))
    assert judge(ranks, 3).reason == "verification_failed"


def test_a_lost_rank_is_the_cause_and_who_misses_it_tells_the_step() -> None:
    ranks = board(0, 1)
    ranks.fold(Failure(rank=0, reason="rank_exit", message="Rank 0 lost rank 1 in step 3.", lost_rank=1))
    assert judge(ranks, 9, [RankEnd(0, 1), RankEnd(1, -9)]) == Outcome(
        "rank_signal", "Rank 1 on node a was killed by SIGKILL (9). Rank 0 lost rank 1 in step 3.", 1, -9
    )
    assert judge(ranks, 9).message == "Rank 0 lost rank 1 in step 3."
    assert (
        judge(ranks, 9, [RankEnd(1, -9)], steps={1: 2}).message
        == "Rank 1 on node a was killed by SIGKILL (9) in step 2. Rank 0 lost rank 1 in step 3."
    )
    of_training = judge(ranks, 9, [RankEnd(1, -9)], steps={1: 2}, call=" of a sum over the ranks").message
    assert of_training.startswith("Rank 1 on node a was killed by SIGKILL (9) in step 2 of a sum over the ranks.")
    ranks.fold(Failure(rank=1, reason="oom", message="Rank 1 is out of memory."))
    assert judge(ranks, 9, [RankEnd(1, 1)]).message == "Rank 1 is out of memory."


def test_a_wrong_result_never_completes() -> None:
    ranks = board(0, 1)
    ranks.fold(
        Check(
            rank=1,
            op="all_reduce",
            algorithm="ring",
            in_place=True,
            size_bytes=64,
            wrong=2,
            first_index=5,
            want="4.0",
            got="5.0",
            time_ns=0,
        )
    )
    for rank in (0, 1):
        ranks.fold(Done(rank=rank, dropped=0))
    assert judge(ranks, 0) == Outcome(
        "verification_failed",
        "Rank 1 on node a found 2 wrong elements after all_reduce (ring, in place) of 64 bytes: "
        "element 5 is 5.0 and should be 4.0.",
        1,
    )


def test_a_rank_on_another_node_is_named_with_its_node() -> None:
    ranks = board(0, 1)
    ranks.hang_up(0, 0)
    outcome = judge(ranks, 9, [RankEnd(3, -9)])
    assert outcome == Outcome("rank_signal", "Rank 3 on node b was killed by SIGKILL (9).", 3, -9)


def test_which_of_another_nodes_ranks_was_killed_first_is_for_that_node_to_say() -> None:
    ranks = board(0, 1)
    killed = [RankEnd(2, -9), RankEnd(3, -9)]
    sentence = "Ranks 2 and 3 on node b were killed by SIGKILL (9)."
    assert judge(ranks, 9, killed) == Outcome("rank_signal", sentence, None, -9)
    ranks.fold(Failure(rank=1, reason="rank_exit", message="Rank 1 lost rank 2 in step 3.", lost_rank=2))
    assert judge(ranks, 9, killed).message == f"{sentence} Rank 1 lost rank 2 in step 3."
    ranks.failures.clear()
    assert judge(ranks, 11, [RankEnd(2, -9), RankEnd(3, -11)]).rank == 3, "nobody else's doing"


def test_the_rank_that_was_lost_first_is_the_culprit_among_the_killed() -> None:
    ranks = board(0, 1)
    ranks.hang_up(1, 0)
    ranks.hang_up(0, 1)
    assert judge(ranks, 9, [RankEnd(0, -9), RankEnd(1, -9)]).rank == 1
    assert judge(ranks, 9, [RankEnd(0, -9), RankEnd(1, 1)]).rank == 1


def test_a_rank_that_hydra_saw_first_but_killed_itself_is_not_to_blame() -> None:
    ranks = board(0, 1)
    ranks.hang_up(0, 8)
    ranks.hang_up(1, 5)
    for found in (judge(ranks, 9, [RankEnd(0, -9)]), judge(ranks, 9, [RankEnd(0, -9)], words={1: "Ouch"})):
        assert (found.rank, found.exit_code) == (1, None)
        assert found.message.startswith("Rank 1 on node a ended before it had finished its program")
    ranks.fold(Failure(rank=3, reason="rank_exit", message="Rank 3 lost rank 0 in step 3.", lost_rank=0))
    assert judge(ranks, 9, [RankEnd(0, -9)]).rank == 1
    # A segmentation fault is nobody else's doing.
    ranks.failures.clear()
    assert judge(ranks, 11, [RankEnd(0, -11)]).rank == 0


def test_ranks_that_the_agent_killed_are_not_to_blame() -> None:
    ranks = board(0, 1)
    ranks.hang_up(1, 0)
    ranks.hang_up(0, 1)
    outcome = judge(ranks, 9, [RankEnd(0, -9)], hydra_hung=True)
    assert outcome.message == "Rank 1 on node a ended before it had finished its program."


def test_a_kill_while_memory_ran_out_is_oom() -> None:
    outcome = judge(board(0, 1), 9, [RankEnd(1, -9)], killed_for_memory=True)
    assert (outcome.reason, outcome.rank) == ("oom", 1)


def test_a_launcher_that_was_killed_is_the_cause_and_not_its_ranks() -> None:
    ranks = board(0, 1)
    ranks.fold(Failure(rank=0, reason="rank_exit", message="Rank 0 lost rank 2 in step 3.", lost_rank=2))
    ranks.hang_up(1, 0)
    assert judge(ranks, None, proxy_code=-9) == Outcome(
        "launcher_lost",
        "The launcher hydra_pmi_proxy on node a was killed by SIGKILL (9), and ranks 0 to 1 with it.",
        None,
        -9,
    )
    assert (
        judge(ranks, -9).message
        == "The launcher mpiexec on node a was killed by SIGKILL (9), and ranks 0 to 3 with it."
    )
    assert judge(ranks, -9, killed_for_memory=True).reason == "oom"
    ranks.fold(Failure(rank=1, reason="rank_exit", message="Rank 1 divides by zero."))
    assert judge(ranks, -9).message == "Rank 1 divides by zero."


def test_an_exit_code_of_the_launcher_is_no_ranks() -> None:
    ranks = board(0, 1)
    ranks.hang_up(1, 0)
    assert judge(ranks, 255).message == "The MPI launcher on node a ended with exit code 255."
    assert judge(ranks, None, proxy_code=7).message == "Rank 1 on node a ended before it had finished its program."


def test_what_another_node_may_know_better_is_hearsay() -> None:
    ranks = board(0, 1)
    ranks.hang_up(1, 0)
    assert judge(ranks, 255).is_hearsay
    assert judge(ranks, None, proxy_code=7).is_hearsay
    assert not judge(ranks, 9, [RankEnd(3, -9)]).is_hearsay
    assert not judge(ranks, None, proxy_code=-9).is_hearsay
    ranks.fold(Failure(rank=0, reason="rank_exit", message="Rank 0 lost rank 2 in step 3.", lost_rank=2))
    assert judge(ranks, None).is_hearsay


def test_a_lost_connection_is_hearsay_until_the_rank_at_its_other_end_is_known() -> None:
    ranks, sentence = board(0, 1), "Rank 0 lost its connection to another rank in a call of PyTorch."
    ranks.fold(Failure(rank=0, reason="rank_exit", message=sentence, is_hearsay=True))
    told = judge(ranks, 9, [RankEnd(0, 1), RankEnd(1, -9), RankEnd(3, -9)])
    assert told == Outcome("rank_signal", f"Rank 3 on node b was killed by SIGKILL (9). {sentence}", 3, -9)
    assert not told.is_hearsay
    for unknown in (judge(ranks, None), judge(ranks, 1, [RankEnd(0, 1), RankEnd(1, -9)])):
        assert unknown == Outcome("rank_exit", sentence)
        assert unknown.is_hearsay
    ranks.fold(Failure(rank=1, reason="rank_exit", message="Rank 1 lost rank 0 in step 3.", lost_rank=0))
    assert judge(ranks, 9, [RankEnd(0, -9), RankEnd(1, 1)]).rank == 0, "a rank that is known to be lost is the cause"
    assert judge(ranks, -9).reason == "launcher_lost"
    ranks.fold(Failure(rank=1, reason="rank_exit", message="Rank 1 divides by zero."))
    assert judge(ranks, 9, [RankEnd(3, -9)]).message == "Rank 1 divides by zero."


def test_the_pid_in_hydras_banner_is_enough() -> None:
    exits = ExitReport(GANG)
    exits.failed_pid, exits.signal = 101, 11
    outcome = decide(Evidence("a", GANG, board(0, 1), exits, 11, {}))
    assert (outcome.reason, outcome.rank, outcome.exit_code) == ("rank_signal", 1, -11)


def test_a_launch_that_never_came_up_quotes_the_launcher() -> None:
    outcome = judge(board(), 255, words={None: "no route to host"})
    assert outcome == Outcome(
        "launch_failed",
        "The launch of the ranks on node a ended with exit code 255: no route to host",
        None,
        255,
    )
