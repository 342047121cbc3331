"""docs/diagnosis.md shows what was simulated."""

import json

from benchmarks.diagnosis import page as page_of_figures


def test_the_page_shows_what_was_simulated() -> None:
    text, document = page_of_figures.PAGE.read_text(), page_of_figures.result()
    assert page_of_figures.filled(text, document) == text, "run `python -m benchmarks.diagnosis.page`"
    for name, made in page_of_figures.tables(document).items():
        assert f"<!-- measured {name} -->\n{made}\n<!-- end -->" in text


def test_a_page_that_differs_is_noticed() -> None:
    text, document = page_of_figures.PAGE.read_text(), json.loads(json.dumps(page_of_figures.result()))
    document["tables"]["diagnosis_kinds"][1][1] = "none"
    assert page_of_figures.filled(text, document) != text
