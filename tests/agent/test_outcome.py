from typing import Any

from ringscope.protocol import GangMember
from ringscope.record import Check, Done, Failure, Hello
from ringscope_agent.hydra import ExitReport, RankEnd
from ringscope_agent.outcome import Evidence, Outcome, RankBoard, decide

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
    ranks.hang_up(1)
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
    ranks.hang_up(0)
    outcome = judge(ranks, 9, [RankEnd(3, -9)])
    assert outcome == Outcome("rank_signal", "Rank 3 on node b was killed by SIGKILL (9).", 3, -9)


def test_the_rank_that_was_lost_first_is_the_culprit_among_the_killed() -> None:
    ranks = board(0, 1)
    ranks.hang_up(1)
    ranks.hang_up(0)
    assert judge(ranks, 9, [RankEnd(0, -9), RankEnd(1, -9)]).rank == 1
    assert judge(ranks, 9, [RankEnd(0, -9), RankEnd(1, 1)]).rank == 1


def test_ranks_that_the_agent_killed_are_not_to_blame() -> None:
    ranks = board(0, 1)
    ranks.hang_up(1)
    ranks.hang_up(0)
    outcome = judge(ranks, 9, [RankEnd(0, -9)], hydra_hung=True)
    assert outcome.message == "Rank 1 on node a ended before it had finished its program."


def test_a_kill_while_memory_ran_out_is_oom() -> None:
    outcome = judge(board(0, 1), 9, [RankEnd(1, -9)], killed_for_memory=True)
    assert (outcome.reason, outcome.rank) == ("oom", 1)


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
