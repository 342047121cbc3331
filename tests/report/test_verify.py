"""Any edit of a report is found, also with a new checksum."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.expected.runs import CASES
from tests.imports.published import published as published_files
from tests.report.parts import HOSTILE, benchmark, files, report

from ringscope.expected.again import judged_again
from ringscope.expected.published import published
from ringscope.imports.judged import Given
from ringscope.report.document import Report, checksum
from ringscope.report.files import reported_file
from ringscope.report.page import CLOSING, OPENING, render
from ringscope.report.verify import NoReportError, only_by_checksum, verify

Edit = Callable[[dict[str, Any]], None]


def embedded(page: str) -> str:
    return page.split(OPENING)[1].split(CLOSING)[0]


def edited(edit: Edit, is_rendered_anew: bool) -> list[str]:
    """Return the verification's errors in a report whose rows were edited, by hand or by a program that renders it."""
    page = render(report())
    document = json.loads(embedded(page))
    edit(document)
    if is_rendered_anew:
        return verify(render(Report.model_validate(document)))[1]
    return verify(page.replace(embedded(page), json.dumps(document, sort_keys=True, separators=(",", ":"))))[1]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_a_report_of_a_published_run_is_in_order(case: Any) -> None:
    parts = reported_file(case.path.name, case.path.read_bytes(), case.given, published())
    assert verify(render(report(*parts)))[1] == []


def test_so_are_those_of_all_files_that_can_be_read() -> None:
    parts = [
        part for one in published_files() for part in reported_file(one.path.name, one.content, Given(), published())
    ]
    assert verify(render(report(*parts)))[1] == []


def test_so_are_those_of_jobs_also_with_hostile_names() -> None:
    assert verify(render(report(benchmark(), benchmark(HOSTILE))))[1] == []


def times(name: str) -> Edit:
    def edit(document: dict[str, Any]) -> None:
        document["jobs"][0]["rows"][2][name] *= 1.1

    return edit


def set_word(document: dict[str, Any]) -> None:
    document["jobs"][1]["judgement"]["word"] = "low by 50 %"


def set_size_word(document: dict[str, Any]) -> None:
    document["jobs"][2]["judgement"]["sizes"][-1]["word"] = "as expected"


def set_sentence(document: dict[str, Any]) -> None:
    document["jobs"][1]["judgement"]["sentence"] = "All is well."


def set_reference(document: dict[str, Any]) -> None:
    for reference in document["jobs"][0]["judgement"]["sizes"][-1]["references"]:
        reference["low_gb_per_s"] = 0.1


def set_point(document: dict[str, Any]) -> None:
    size = document["jobs"][0]["judgement"]["sizes"][-1]
    size.update(busbw_gb_per_s=3.0, low_gb_per_s=2.9, high_gb_per_s=3.1)


def set_best(document: dict[str, Any]) -> None:
    document["jobs"][0]["best"][0]["busbw_gb_per_s"] = 99.0


def drop_sizes(document: dict[str, Any]) -> None:
    document["jobs"][0]["judgement"]["sizes"].pop()


def set_source(document: dict[str, Any]) -> None:
    for size in document["jobs"][1]["judgement"]["sizes"]:
        for reference in size["references"]:
            reference["url"] = reference["url"] and "https://example.org/invented"


EDITS: list[tuple[Edit, str]] = [
    (times("time_us"), "but size / time is"),
    (times("algbw_gb_per_s"), "but size / time is"),
    (times("busbw_gb_per_s"), "but algbw x factor is"),
    (set_word, "the judgement's word is not"),
    (set_size_word, "but its references give low"),
    (set_sentence, "the judgement's sentence is not"),
    (set_reference, "the judgement's references is not|but its references give|sentence is not"),
    (set_point, "which is not in the rows"),
    (set_best, "the best bandwidths are not those"),
    (drop_sizes, "the judgement leaves out 1 of the sizes"),
    (set_source, "is not in this version's data file"),
]


@pytest.mark.parametrize(("edit", "sentence"), EDITS)
def test_an_edit_of_the_rows_or_the_judgement_is_found_even_if_all_is_made_anew(edit: Edit, sentence: str) -> None:
    found = edited(edit, is_rendered_anew=True)
    assert any(re.search(sentence, one) for one in found), found


@pytest.mark.parametrize(("edit", "sentence"), EDITS)
def test_by_hand_it_also_breaks_the_checksum(edit: Edit, sentence: str) -> None:
    assert "The SHA-256 of the embedded rows is" in edited(edit, is_rendered_anew=False)[0]


def judged_anew(job: int, edit: Callable[[dict[str, Any]], None]) -> list[str]:
    """Return the errors after references were edited, and judgement, page and checksum made from them."""
    document = json.loads(embedded(render(report())))
    told = document["jobs"][job]["judgement"]
    for size in told["sizes"]:
        edit(size)
    again = judged_again(told)
    assert again is not None
    document["jobs"][job]["judgement"] = json.loads(json.dumps(again))
    return verify(render(Report.model_validate(document)))[1]


def lower(kind: str) -> Callable[[dict[str, Any]], None]:
    def edit(size: dict[str, Any]) -> None:
        for reference in size["references"]:
            if reference["kind"] == kind:
                reference["low_gb_per_s"] /= 4

    return edit


def leave_out(kind: str) -> Callable[[dict[str, Any]], None]:
    def edit(size: dict[str, Any]) -> None:
        size["references"] = [one for one in size["references"] if one["kind"] != kind]

    return edit


def raise_all(size: dict[str, Any]) -> None:
    for reference in size["references"]:
        for name in ("busbw_gb_per_s", "low_gb_per_s", "high_gb_per_s"):
            reference[name] *= 4


@pytest.mark.parametrize(
    ("job", "edit", "sentence"),
    [
        (2, lower("published"), r"at .*, the published reference is .* gives"),
        (1, lower("limit"), r"at .*, the limit reference is .* gives"),
        (1, raise_all, r"the (limit|model|published) reference is .* gives"),
        (1, leave_out("published"), "it leaves out the published reference that"),
        (1, leave_out("limit"), "it leaves out the limit reference that"),
        (0, lambda size: size["references"][0].update(high_gb_per_s=99.0), "the interval of own runs is not the one"),
    ],
)
def test_an_edited_reference_is_found_even_if_the_judgement_follows_from_it(
    job: int, edit: Callable[[dict[str, Any]], None], sentence: str
) -> None:
    found = judged_anew(job, edit)
    assert found, "nothing was found"
    assert all(re.search(sentence, one) for one in found), found


def test_what_only_the_checksum_guards_is_said() -> None:
    assert judged_anew(0, raise_all) == [], "the bandwidths of own runs are in no data file"
    assert "own runs" in only_by_checksum(report())[-1]
    assert len(only_by_checksum(report(*files("h100_1_node.txt")))) == 1


def test_a_page_of_another_layout_is_compared_by_its_rows_alone() -> None:
    later = render(report().model_copy(update={"layout": 2}))
    (sentence,) = verify(later.replace("<h1>", "<h1>New: "))[1]
    assert sentence.startswith("The page has layout 2 and this version makes layout 1, so only the embedded rows")
    assert "verify it with the version that made it (ringscope 0.1.0)." in sentence


def test_a_number_that_is_edited_in_the_table_is_found() -> None:
    page = render(report(*files("h100_1_node.txt")))
    cells = re.findall(r'<td class="n">([0-9.]+)</td>', page)
    for cell in dict.fromkeys(cells):
        changed = page.replace(f'<td class="n">{cell}</td>', '<td class="n">12345</td>', 1)
        (sentence,) = verify(changed)[1]
        assert re.match(r"Line [0-9]+ of the file has '.*12345", sentence)


def test_any_other_edit_of_the_page_is_found() -> None:
    page = render(report())
    digest = checksum(embedded(page))
    changes = (
        ("as expected</span>", "low</span>"),
        ("<polyline", "<polylime"),
        (digest, "0" * 64),
        ("</html>\n", "</html>"),
    )
    for old, new in changes:
        assert verify(page.replace(old, new, 1))[1], old
    assert verify(page + "<p>more</p>")[1]
    assert verify(page.replace("\n", "\r\n"))[1]


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("", "it has no embedded rows"),
        ("<html>", "it has no embedded rows"),
        (OPENING + "{" + CLOSING, "are no JSON"),
        (OPENING + "[" * 100_000 + CLOSING, "are no JSON"),
        (OPENING + "{}" + CLOSING, "cannot be read"),
        (
            OPENING + '{"format":2}' + CLOSING,
            "have format 2, and this version reads format 1; verify it with the version",
        ),
        (OPENING + "[NaN]" + CLOSING, "cannot be read"),
    ],
)
def test_what_is_no_report_is_said_in_a_sentence(page: str, sentence: str) -> None:
    with pytest.raises(NoReportError, match=sentence):
        verify(page)


def test_any_json_in_its_place_is_a_sentence_and_no_error() -> None:
    whole = json.loads(embedded(render(report())))

    def spoilt(value: Any, depth: int = 0) -> list[Any]:
        """The document with one value replaced, for each of its values."""
        found: list[Any] = [None, "x", -1, [], {}, 1e308]
        if depth < 7 and isinstance(value, dict):
            found += [value | {name: other} for name, one in value.items() for other in spoilt(one, depth + 1)]
        if depth < 7 and isinstance(value, list) and value:
            found += [[other, *value[1:]] for other in spoilt(value[0], depth + 1)]
        return found

    whole["jobs"] = whole["jobs"][1:2]
    whole["jobs"][0]["rows"] = whole["jobs"][0]["rows"][:2]
    for document in spoilt(whole):
        try:
            assert verify(OPENING + json.dumps(document) + CLOSING)[1]
        except NoReportError as error:
            assert str(error).endswith((".", "made it."))
