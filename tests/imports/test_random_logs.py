"""The readers take only numbers that a log prints, whatever surrounds or damages the log."""

import pytest
from tests.imports.random_logs import random_log
from tests.imports.test_files import value

from ringscope.imports.files import read_file


def check(seed: int) -> int:
    """Compare a log with the truth; return how many cells were read."""
    log = random_log(seed)
    read = 0
    for run in read_file(log.text.encode()).runs:
        assert run.collective in (None, log.collective), seed
        if run.rows:
            assert run.ranks in (None, log.ranks), seed
        rows = [row for row in run.rows if row.counts]
        left = iter(log.cells)
        for row in rows:
            told = (row.size_bytes, row.in_place, row.dtype, value(row.time_us), value(row.algbw), value(row.busbw))
            assert any(cell[:6] == told and cell[6] in (row.wrong, None) for cell in left), (seed, told)
        assert run.partial or len(run.rows) == len(log.cells), seed
        read += len(rows)
    return read


def test_random_logs_yield_no_wrong_number() -> None:
    read = [check(seed) for seed in range(100)]
    assert sum(map(bool, read)) > 70


@pytest.mark.long
def test_many_random_logs_yield_no_wrong_number() -> None:
    for seed in range(100, 2100):
        check(seed)
