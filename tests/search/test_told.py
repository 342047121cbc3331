"""A search as the server reads it from an attempt's records."""

from tests.search.runs import of_rounds

from ringscope.contracts.search.record import LeftOutCandidate, SearchBegin, SearchPlan, SearchTarget
from ringscope.contracts.search.spec import StrategySearchSpec
from ringscope.search.told import ToldSearch

NAMES = ["mirrored-ring", "torch_ddp"]
PLAN = SearchPlan(rank=0, candidates=NAMES, left_out=[LeftOutCandidate(name="pipeline", reason="Too few layers.")])
RUNS = of_rounds({"mirrored-ring": [1000.0, 1010.0, 990.0], "torch_ddp": [1500.0, 1520.0, 1490.0]})
SPEC = StrategySearchSpec()


def test_it_is_complete_when_no_run_is_missing() -> None:
    assert "candidates were not told" in ToldSearch.of([], SPEC).fault()
    early = ToldSearch.of([PLAN, *RUNS[:3]], SPEC)
    assert early.fault() == (
        "The ranks ended, but the run of mirrored-ring in round 2 of the search was not told."
        if early.rounds.next_run() == ("mirrored-ring", 1)
        else "The ranks ended, but the run of torch_ddp in round 2 of the search was not told."
    )
    whole = ToldSearch.of([PLAN, *RUNS], SPEC)
    assert whole.fault() == "" and whole.verdict().winner == "mirrored-ring"
    assert [line.state for line in whole.verdict().candidates] == ["winner", "slower", "left_out"]


def test_a_run_that_began_and_did_not_end_is_the_running_one() -> None:
    begin = SearchBegin(rank=0, candidate="torch_ddp", round=0)
    assert ToldSearch.of([PLAN, RUNS[0], begin], SPEC).running == begin
    assert ToldSearch.of([PLAN, RUNS[0], begin, RUNS[1]], SPEC).running is None


def test_a_candidate_that_the_plan_does_not_name_counts_for_nothing() -> None:
    stray = RUNS[0].model_copy(update={"candidate": "sharded"})
    assert ToldSearch.of([RUNS[0], PLAN, stray], SPEC).runs == []


def test_with_a_target_the_runs_to_it_belong_to_the_search() -> None:
    spec = StrategySearchSpec(target_accuracy=0.9)
    assert (
        "the run of mirrored-ring to the target accuracy, of 4 epochs, was not told"
        in ToldSearch.of([PLAN, *RUNS], spec).fault()
    )
    reached = {"candidate": "mirrored-ring", "epochs": 4, "seconds_to_target": 1.5, "epochs_to_target": 2}
    target = SearchTarget.model_validate(reached | {"accuracy": 0.95, "seconds": 3.0})
    whole = ToldSearch.of([PLAN, *RUNS, target], spec)
    assert whole.fault() == "" and whole.verdict().winner == "mirrored-ring"
    assert whole.verdict().sentence.startswith("mirrored-ring reaches the accuracy of 90.0% first, after 1.5 s")
