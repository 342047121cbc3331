"""A job lists its checks, and gives the reason for each that could not be done: none is off silently."""

import pytest
from tests.server.insights.test_insight_bandwidth import row

from ringscope.contracts.job import JobSpec
from ringscope_server.insights.checks import Facts, checks
from ringscope_server.results.baseline import History, Run, history_of

NOTHING = History({}, 0, 0, {}, 0)


def told(
    ranks: int = 8, nodes: int = 8, history: History = NOTHING, expected_rows: int = 0, **facts
) -> dict[str, object]:
    benchmark = {"algorithms": facts.pop("algorithms", ["ring"]), "check": facts.pop("check", True)}
    spec = JobSpec.model_validate({"benchmark": benchmark, "placement": {"ranks": ranks}})
    known = {"followed": 2, "are_clocks_known": True, "rows": 2} | facts
    found = checks(Facts(spec=spec, nodes=nodes, history=history, expected_rows=expected_rows, **known))
    return {check.check: check.sentence if not check.is_checked else True for check in found}


def test_a_ring_whose_messages_were_followed_is_checked_in_all_but_its_bandwidth() -> None:
    found = told()
    assert found.pop("low_bandwidth") == (
        "A row needs 3 or more earlier runs of the same shape on similar nodes; there are 0, and none measured "
        "these rows often enough."
    )
    assert set(found.values()) == {True}


@pytest.mark.parametrize(
    ("facts", "check", "words"),
    [
        ({"ranks": 2, "nodes": 2}, "straggler", "It takes 3 ranks to find a slow or late one, and the job has 2."),
        ({"ranks": 2, "nodes": 2}, "slow_link", "It takes 3 nodes to find a slow link, and the job has 2."),
        ({"followed": 0}, "slow_link", "Choose sizes of at least 64 KiB."),
        ({"followed": 0, "algorithms": ["mpi"]}, "slow_link", "Add an algorithm with a schedule, such as ring."),
        ({"followed": 0, "ranks": 33}, "slow_link", "With more than 32 ranks, submit the job with --trace."),
        ({"are_clocks_known": False}, "late_rank", "The clock of a node is not known"),
        ({"algorithms": ["mpi"]}, "straggler", "Waits inside mpi cannot be observed"),
        ({"check": False}, "wrong_result", "because the job has check: false."),
    ],
)
def test_what_could_not_be_checked_says_why(facts: dict[str, object], check: str, words: str) -> None:
    assert words in str(told(**facts)[check])


def test_disturbed_runs_that_disagree_say_so_and_those_that_agree_check_the_rows() -> None:
    disagree = history_of([Run([row(value)], is_disturbed=True) for value in (1, 2, 4)])
    assert "they differ by more than 1.5 times" in str(told(history=disagree)["low_bandwidth"])
    agree = history_of([Run([row(value)], is_disturbed=True) for value in (2, 2, 2)])
    assert told(history=agree, expected_rows=2)["low_bandwidth"] is True


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "no progress for 60 s, or for 10 mean iterations"),
        ({"hang_seconds": 7}, "no progress for 7 s"),
        ({"kind": "script", "script": {"file": "x.py"}}, "for one whose program has ended"),
        ({"kind": "script", "script": {"file": "x.py"}, "hang_seconds": 5}, "no progress for 5 s"),
    ],
)
def test_the_check_for_hangs_says_its_limit(fields: dict[str, object], words: str) -> None:
    spec = JobSpec.model_validate(fields | {"placement": {"ranks": 2}})
    (found,) = (check for check in checks(Facts(spec, 1, 0, True, 0, 0, NOTHING)) if check.check == "hang")
    assert found.is_checked and words in found.sentence and "None" not in found.sentence


def test_of_a_simulation_nothing_is_checked() -> None:
    sweep = {"transport": "simulated", "topology": {"shape": "2x2", "link": "10GB/s"}}
    spec = JobSpec.model_validate({"benchmark": sweep, "placement": {"ranks": 1}})
    (found,) = checks(Facts(spec, 1, 0, True, 0, 0, NOTHING))
    assert (found.check, found.is_checked) == ("all", False)
