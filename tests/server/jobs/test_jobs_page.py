"""docs/jobs.md says what the code does."""

import re
from pathlib import Path

from ringscope.contracts.job import JobSpec
from ringscope.contracts.words.job_states import ACTIVE, TERMINAL, TRANSITIONS, WAITING
from ringscope_server.attempts.retries import FIRST_BACKOFF_SECONDS, LONGEST_BACKOFF_SECONDS
from ringscope_server.jobs.reasons import REASONS, RETRIES

PAGE = (Path(__file__).parents[3] / "docs" / "jobs.md").read_text()


def table(first_header: str, columns: int) -> list[tuple[str, ...]]:
    """Return the rows of the table that has this number of columns and this header in the first one."""
    rows = re.findall(rf"^\| {first_header} (?:\|[^|\n]*){{{columns - 1}}}\|\n\|[-|]+\|\n((?:\|.*\n)+)", PAGE, re.M)
    assert len(rows) == 1, f"{len(rows)} tables with {columns} columns start with {first_header}"
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in rows[0].splitlines()]


def code(*words: str) -> str:
    return ", ".join(f"`{word}`" for word in words)


def test_the_moves() -> None:
    wanted = [(code(each.move), code(*sorted(each.origins)), code(each.target)) for each in TRANSITIONS]
    assert table("move", 3) == wanted


def test_the_reasons() -> None:
    wanted = [(code(each.name), each.meaning, code(each.end), each.retry) for each in REASONS]
    assert table("reason", 4) == wanted


def test_what_is_tried_again() -> None:
    assert table("tried again", 2) == list(RETRIES.items())


def test_the_numbers_and_the_states_in_the_text() -> None:
    text = " ".join(PAGE.split())
    max_attempts = JobSpec().max_attempts
    assert f"`max_attempts` ({max_attempts}) counts the first try." in text
    assert f"waits {FIRST_BACKOFF_SECONDS} s · 2ⁿ⁻¹, at most {LONGEST_BACKOFF_SECONDS} s" in text
    following = re.search(r"ended, (.*) become `node_lost`", text)
    assert following is not None
    assert set(re.findall(r"`(\w+)`", following[1])) == {each.name for each in REASONS if each.may_follow_loss}
    kinds = re.search(r"(.*) wait; (.*) hold slots; (.*) are ends", text)
    assert kinds is not None
    assert [set(re.findall(r"`(\w+)`", words)) for words in kinds.groups()] == [WAITING, ACTIVE, TERMINAL]
