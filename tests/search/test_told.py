"""A search as the server reads it from an attempt's records."""

from tests.search.runs import of_rounds

from ringscope.contracts.search.record import LeftOutCandidate, SearchBegin, SearchPlan
from ringscope.search.told import ToldSearch

NAMES = ["mirrored-ring", "torch_ddp"]
PLAN = SearchPlan(rank=0, candidates=NAMES, left_out=[LeftOutCandidate(name="pipeline", reason="Too few layers.")])
RUNS = of_rounds({"mirrored-ring": [1000.0, 1010.0, 990.0], "torch_ddp": [1500.0, 1520.0, 1490.0]})
BUDGET_SECONDS = 300


def test_it_is_complete_when_no_run_is_missing() -> None:
    assert "candidates were not told" in ToldSearch.of([], BUDGET_SECONDS).fault()
    early = ToldSearch.of([PLAN, *RUNS[:3]], BUDGET_SECONDS)
    assert early.fault() == (
        "The ranks ended, but the run of mirrored-ring in round 2 of the search was not told."
        if early.rounds.next_run() == ("mirrored-ring", 1)
        else "The ranks ended, but the run of torch_ddp in round 2 of the search was not told."
    )
    whole = ToldSearch.of([PLAN, *RUNS], BUDGET_SECONDS)
    assert whole.fault() == "" and whole.verdict().winner == "mirrored-ring"
    assert [line.state for line in whole.verdict().candidates] == ["winner", "slower", "left_out"]


def test_a_run_that_began_and_did_not_end_is_the_running_one() -> None:
    begin = SearchBegin(rank=0, candidate="torch_ddp", round=0)
    assert ToldSearch.of([PLAN, RUNS[0], begin], BUDGET_SECONDS).running == begin
    assert ToldSearch.of([PLAN, RUNS[0], begin, RUNS[1]], BUDGET_SECONDS).running is None


def test_a_candidate_that_the_plan_does_not_name_counts_for_nothing() -> None:
    stray = RUNS[0].model_copy(update={"candidate": "sharded"})
    assert ToldSearch.of([RUNS[0], PLAN, stray], BUDGET_SECONDS).runs == []
