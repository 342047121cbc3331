"""The comparison of searches with full runs: when both agree, and what the goal counts."""

from types import SimpleNamespace

import pytest
from benchmarks.training.search_goal import Full, agrees, compared, targets, told

from ringscope.client import Search


def a_search(winner: str | None, *unbeaten: str) -> Search:
    names = {"ring": "slower", "tree": "slower", "naive": "slower"}
    names |= dict.fromkeys(unbeaten, "unbeaten") | ({winner: "winner"} if winner else {})
    candidates = [SimpleNamespace(name=name, state=state, samples_per_second=None) for name, state in names.items()]
    return Search.model_construct(winner=winner, candidates=candidates)  # type: ignore[arg-type]


CLEAR = Full([{"ring": 100.0, "tree": 94.0, "naive": 50.0}, {"ring": 104.0, "tree": 95.0, "naive": 51.0}], 400.0)
NOISY = Full([{"ring": 100.0, "tree": 98.0, "naive": 50.0}, {"ring": 104.0, "tree": 90.0, "naive": 51.0}], 400.0)
LEVEL = Full([{"ring": 100.0, "tree": 98.0, "naive": 50.0}, {"ring": 97.0, "tree": 99.0, "naive": 51.0}], 400.0)


@pytest.mark.parametrize(
    ("full", "winner", "unbeaten", "is_agreed"),
    [
        (CLEAR, "ring", (), True),
        (CLEAR, "tree", (), False),
        (LEVEL, "tree", (), True),  # full runs cannot tell it from ring
        (LEVEL, "naive", (), False),
        (CLEAR, None, ("ring", "tree"), False),  # 6 % and 9 % apart
        (NOISY, None, ("ring", "tree"), True),  # 2 % and 16 % apart
        (LEVEL, None, ("ring", "tree"), True),
        (LEVEL, None, ("ring", "tree", "naive"), False),
        (CLEAR, None, ("tree", "naive"), False),
    ],
)
def test_a_search_agrees_if_it_has_a_winner_of_full_runs_and_leaves_none_that_is_much_slower(
    full: Full, winner: str | None, unbeaten: tuple[str, ...], is_agreed: bool
) -> None:
    assert agrees(full, a_search(winner, *unbeaten)) is is_agreed


def test_all_runs_of_the_file_are_judged_and_each_is_told_in_a_line() -> None:
    right, wrong = compared(CLEAR, a_search("ring"), 80.0), compared(CLEAR, a_search(None, "tree", "naive"), 100.0)
    agreed, share = targets([right, wrong])
    assert (agreed.got, share.got, agreed.met, share.met) == (0.5, 0.225, False, True)
    assert targets([]) == []
    place = {"model": "mlp", "hosts": 4}
    assert told(right | place) == (
        "mlp, 4 hosts: agrees; full runs, samples/s: ring 102, tree 94, naive 50; search: ring; 20% of the time"
    )
    assert "mlp, one node: DISAGREES" in told(wrong | place | {"hosts": 1})
    assert "search: none of tree, naive; 25% of the time" in told(wrong | place)
