"""A file that ends early never yields a wrong number."""

import pytest
from tests.imports.published import one
from tests.imports.test_files import cells

from ringscope.imports.files import read_file

NAMES = ("alltoall_then_sendrecv_double", "synthetic_v1_missing_tail")


def check(name: str, content: bytes, place: int) -> None:
    whole = read_file(content).runs
    reading = read_file(content[:place])
    for run, full in zip(reading.runs, whole, strict=False):
        known = cells(full)
        assert cells(run) == known[: len(run.rows)], place
        assert run.collective in (None, full.collective), place
        assert run.ranks in (None, full.ranks), place
        assert not any(row.flags for row in run.rows), place
        assert run.partial or run.refused or len(run.rows) == len(known), place
    assert len(reading.runs) <= len(whole), place
    assert reading.runs or reading.refused, place


@pytest.mark.parametrize("name", NAMES)
def test_a_file_cut_at_some_bytes_yields_only_printed_numbers(name: str) -> None:
    content = one(name).content
    for place in {*range(0, len(content), 97), *range(len(content) - 60, len(content))}:
        check(name, content, place)


@pytest.mark.long
@pytest.mark.parametrize("name", (*NAMES, "legacy_three_headers_in_one_file", "results_summary"))
def test_a_file_cut_at_every_byte_yields_only_printed_numbers(name: str) -> None:
    content = one(name).content
    for place in range(len(content)):
        if name in NAMES:
            check(name, content, place)
        else:
            read_file(content[:place])
