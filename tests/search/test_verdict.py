"""The verdict of a search, in one sentence, and its table."""

import pytest
from tests.search.runs import of_rounds, run

from ringscope.contracts.search.record import SearchTarget
from ringscope.search.candidates import LeftOut
from ringscope.search.rounds import MOST_ROUNDS, Rounds
from ringscope.search.verdict import verdict

LEFT_OUT = [LeftOut("pipeline", "3 ranks are no multiple of 2 stages.")]


def test_the_winner_is_named_with_its_distance_and_the_reason_in_numbers() -> None:
    runs = []
    for number in range(3):
        runs.append(run("mirrored-ring", number, 1000.0, exposed_us=100.0, exchanged_bytes=3 << 20))
        runs.append(run("torch_ddp", number, 1500.0, exposed_us=615.0, exchanged_bytes=3 << 20))
    found = verdict(Rounds(["mirrored-ring", "torch_ddp"], runs, 1e9), LEFT_OUT)
    assert found.winner == "mirrored-ring"
    assert found.sentence == (
        "mirrored-ring is the fastest with 64,000 samples/s: torch_ddp, the next one, takes 1.50 (1.50 to 1.50) times "
        "as long; torch_ddp waits 41% of a step for sums and mirrored-ring 10%."
    )
    states = {line.name: (line.state, line.runs) for line in found.candidates}
    assert states == {"mirrored-ring": ("winner", 3), "torch_ddp": ("slower", 3), "pipeline": ("left_out", 0)}
    slower = found.candidates[1]
    assert slower.times_as_long == 1.5 and slower.reason.startswith("It takes 1.50") and slower.step_us == 1500.0
    assert found.candidates[2].reason == LEFT_OUT[0].reason


def test_what_a_step_sends_is_the_difference_of_a_long_and_a_short_run() -> None:
    counted = {0: (6, 1000.0 + 6 * 100, 5000.0 + 6 * 300), 1: (65, 1000.0 + 65 * 100, 5000.0 + 65 * 300)}
    runs = [  # the short one is a trial, which counts for the bytes, but not for the time
        run(
            name,
            number,
            1000.0 if number else 5000.0,
            is_trial=number == 0,
            **({} if name == "tf_mirrored" else dict(zip(fields, counts, strict=True))),
        )
        for number, counts in counted.items()
        for name in ("sharded", "tf_mirrored")
        for fields in [("steps", "sent_bytes", "most_sent_bytes")]
    ]
    lines = {line.name: line for line in verdict(Rounds(["sharded", "tf_mirrored"], runs, 1e9), []).candidates}
    assert (lines["sharded"].sent_bytes, lines["sharded"].most_sent_bytes) == (100.0, 300.0)
    assert lines["tf_mirrored"].sent_bytes is None
    assert [(line.runs, line.step_us) for line in lines.values()] == [(1, 1000.0)] * 2


def test_the_interval_of_a_rate_is_that_of_its_runs() -> None:
    times = {"sharded": [100.0, 103.0, 98.0], "torch_ddp": [101.0]}
    lines = {line.name: line for line in verdict(Rounds(list(times), of_rounds(times), 1e9), []).candidates}
    rate = lines["sharded"]
    assert (rate.samples_per_second_low or 0) < (rate.samples_per_second or 0) < (rate.samples_per_second_high or 0)
    assert (rate.samples_per_second_high or 0) / (rate.samples_per_second_low or 1) == pytest.approx(1.13, abs=0.01)
    assert lines["torch_ddp"].samples_per_second_low is None


def test_no_clear_winner_is_an_answer() -> None:
    times = {"sharded": [100.0, 103.0, 98.0], "torch_ddp": [101.0, 99.0, 102.0]}
    found = verdict(Rounds(list(times), of_rounds(times), 1e9), [])
    assert found.winner is None
    assert found.sentence.startswith(
        "No clear winner among sharded and torch_ddp: sharded has 638,007 samples/s; torch_ddp takes"
    )
    assert {line.state for line in found.candidates} == {"unbeaten"}
    assert "budget" not in found.sentence
    short = verdict(Rounds(list(times), of_rounds(times), 7.0), []).sentence
    assert short == f"{found.sentence} The budget held 3 rounds of 12; a longer one tells smaller differences."


@pytest.mark.parametrize(("budget_seconds", "is_told"), [(30.0, True), (1e9, False)])
def test_a_search_whose_last_runs_could_be_longer_says_so(budget_seconds: float, is_told: bool) -> None:
    runs = of_rounds({"sharded": [100.0] * MOST_ROUNDS, "torch_ddp": [100.0] * MOST_ROUNDS})
    sentence = verdict(Rounds(["sharded", "torch_ddp"], runs, budget_seconds), []).sentence
    assert sentence.endswith(" A longer budget tells smaller differences.") == is_told


def test_nobody_is_left_if_all_fail_in_a_round() -> None:
    runs = of_rounds({"sharded": [100.0], "torch_ddp": [100.0]})
    runs += [run(name, 1, 100.0, failure="Killed.") for name in ("sharded", "torch_ddp") for _ in range(2)]
    found = verdict(Rounds(["sharded", "torch_ddp"], runs, 30.0), [])
    assert found.winner is None and {line.state for line in found.candidates} == {"failed"}
    assert "budget" not in found.sentence  # more of it would help nobody


def test_bytes_and_computing_are_reasons_too() -> None:
    runs = []
    for number in range(3):
        runs.append(run("mirrored-fp16", number, 1000.0, exposed_us=100.0, exchanged_bytes=1 << 20, input_us=0.0))
        runs.append(run("mirrored", number, 2000.0, exposed_us=200.0, exchanged_bytes=2 << 20, input_us=0.0))
    sentence = verdict(Rounds(["mirrored-fp16", "mirrored"], runs, 1e9), []).sentence
    reason = "mirrored computes 2.00 times as long, and a rank exchanges 2 MiB in a step instead of 1 MiB"
    assert reason in sentence
    assert sentence.endswith(
        "Its updates are not those of one process: give a target accuracy to compare how it learns."
    )


TIMES = {"local_sgd": [100.0, 103.0, 98.0], "torch_ddp": [101.0, 99.0, 102.0]}
ROUNDS = Rounds(list(TIMES), of_rounds(TIMES), 1e9)


def target(name: str, epochs: int, seconds: float | None) -> SearchTarget:
    reached = {} if seconds is None else {"seconds_to_target": seconds, "epochs_to_target": epochs}
    return SearchTarget.model_validate({"candidate": name, "epochs": 16, "accuracy": 0.9, "seconds": 20.0} | reached)


def test_the_time_to_the_target_decides_where_one_is_given() -> None:
    found = verdict(ROUNDS, [], [target("local_sgd", 7, 9.5), target("torch_ddp", 3, 4.25)], 0.9)
    assert found.winner == "torch_ddp" and found.candidates[0].seconds_to_target == 4.25
    assert found.sentence.startswith(
        "torch_ddp reaches the accuracy of 90.0% first, after 4.25 s of steps and 3 epochs; local_sgd takes 9.5 s of "
        "steps and 7 epochs"
    )


def test_as_many_epochs_in_times_that_cannot_be_told_apart_have_no_winner() -> None:
    found = verdict(ROUNDS, [], [target("local_sgd", 3, 4.0), target("torch_ddp", 3, 4.25)], 0.9)
    assert found.winner is None and {line.state for line in found.candidates} == {"unbeaten"}
    assert found.sentence.startswith("No clear winner among local_sgd and torch_ddp: local_sgd reaches the accuracy")


def test_a_target_that_nobody_reached_has_no_winner() -> None:
    found = verdict(ROUNDS, [], [target("local_sgd", 3, None), target("torch_ddp", 3, 4.25)], 0.9)
    assert found.winner == "torch_ddp" and found.sentence.endswith("; no other candidate reached it.")
    found = verdict(ROUNDS, [], [target("local_sgd", 3, None)], 0.9)
    assert found.winner is None
    assert found.sentence.endswith("None of them reached the accuracy of 90.0% within 16 epochs.")


def test_a_search_without_a_run_says_so() -> None:
    assert verdict(Rounds(["ring", "ddp"], [], 1e9), []).sentence == "No candidate has run yet."
