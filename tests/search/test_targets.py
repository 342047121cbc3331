"""Runs to the target accuracy: their order, and when they end."""

from ringscope.contracts.search.record import SearchTarget
from ringscope.search.targets import EPOCHS, final, next_target

LEFT = ["torch_ddp", "local_sgd"]


def target(name: str, epochs: int, after: float | None = None, **fields: object) -> SearchTarget:
    """Return a run whose epochs take a second each, and which reached the accuracy after ``after`` of them."""
    known = {"candidate": name, "epochs": epochs, "steps_seconds": float(epochs), "seconds": 1.5 * epochs}
    reached = {} if after is None else {"seconds_to_target": float(after), "epochs_to_target": after}
    return SearchTarget.model_validate(known | {"accuracy": 0.9} | reached | fields)


def test_all_train_for_few_epochs_first_and_those_that_did_not_reach_it_for_more() -> None:
    runs: list[SearchTarget] = []
    assert next_target(LEFT, runs, 1e9) == ("torch_ddp", EPOCHS[0])
    runs.append(target("torch_ddp", EPOCHS[0]))
    assert next_target(LEFT, runs, 1e9) == ("local_sgd", EPOCHS[0])
    runs.append(target("local_sgd", EPOCHS[0]))
    assert next_target(LEFT, runs, 1e9) == ("torch_ddp", EPOCHS[1])
    runs.append(target("torch_ddp", EPOCHS[1], after=9))
    assert next_target(LEFT, runs, 1e9) == ("local_sgd", EPOCHS[1])
    assert next_target(LEFT, [*runs, target("local_sgd", EPOCHS[1])], 1e9) is None  # 16 s of steps; ddp needs 9 s


def test_no_run_begins_for_which_there_is_no_time() -> None:
    runs = [target("torch_ddp", EPOCHS[0]), target("local_sgd", EPOCHS[0])]
    needed = 1.5 * EPOCHS[1]
    assert next_target(LEFT, runs, needed) == ("torch_ddp", EPOCHS[1])
    assert next_target(LEFT, runs, needed - 1) is None
    assert next_target(LEFT, [], 0.0) is None


def test_a_candidate_whose_runs_failed_twice_has_no_further_one() -> None:
    failed = target("torch_ddp", EPOCHS[0], failure="killed", accuracy=None)
    assert next_target(LEFT, [failed], 1e9) == ("torch_ddp", EPOCHS[0])
    assert next_target(LEFT, [failed, failed], 1e9) == ("local_sgd", EPOCHS[0])
    assert final([failed, target("local_sgd", 16), target("local_sgd", 4)])["local_sgd"].epochs == 16
