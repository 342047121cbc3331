"""A judgement is made once more from its own JSON, and an edited one is not the same."""

import json
from typing import Any

import pytest
from tests.expected.runs import CASES, Case, judgement

from ringscope.expected.again import judged_again
from ringscope.expected.facts import Point
from ringscope.expected.own_runs import OwnRuns, judge_by_own_runs


def as_json(document: object) -> Any:
    return json.loads(json.dumps(document))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_the_json_of_a_judgement_has_all_that_it_depends_on(case: Case) -> None:
    told = as_json(judgement(case.read(), case.given).document())
    assert as_json(judged_again(told)) == told


@pytest.mark.parametrize("runs", [None, OwnRuns(1.23456789, 1.1, 4), OwnRuns(0.000123456789, 0.0001, 3)])
def test_that_of_own_runs_too(runs: OwnRuns | None) -> None:
    told = as_json(judge_by_own_runs([(Point(1 << 20, False, 1.0, 0.99, 1.01), runs)]).document())
    assert as_json(judged_again(told)) == told


def test_an_edited_bandwidth_gives_another_judgement() -> None:
    case = next(case for case in CASES if case.word == "as expected")
    told = as_json(judgement(case.read(), case.given).document())
    for size in told["sizes"]:
        size.update({name: size[name] / 2 for name in ("busbw_gb_per_s", "low_gb_per_s", "high_gb_per_s")})
    again = judged_again(told)
    assert again is not None and again["word"] != told["word"]


@pytest.mark.parametrize("change", [{"version": 99}, {"facts": {"gpu": 5}}, {"sizes": [{}]}, {"facts": None}])
def test_what_is_no_judgement_is_said_in_a_sentence(change: dict[str, Any]) -> None:
    told = as_json(judgement(CASES[0].read(), CASES[0].given).document())
    with pytest.raises(ValueError, match=r"it has version 99|are not those of a judgement"):
        judged_again(told | change)
