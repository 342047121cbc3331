"""The list of event types, and the patterns that choose among them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from tests.server.conftest import Server

import ringscope_server
from ringscope.contracts.words.job_states import JobState
from ringscope_server.events.types import TYPES, WORDS, check_pattern, matches
from ringscope_server.webhooks.service import TEST

SOURCES = sorted(Path(ringscope_server.__file__).parent.rglob("*.py"))


ACTION = 3  # which argument of audit.record


def nodes() -> Iterator[ast.AST]:
    for path in SOURCES:
        yield from ast.walk(ast.parse(path.read_text()))


def test_every_type_that_is_recorded_is_on_the_list() -> None:
    found = set()
    for node in nodes():
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "audit.record":
            action = node.args[ACTION]
            if isinstance(action, ast.Constant):
                found.add(action.value)
            if isinstance(action, ast.JoinedStr):  # f"job.{to}": at least the noun is known
                found.add(ast.unparse(action)[2:].partition(".")[0] + ".*")
    assert len(found) > 10
    for type in found:
        check_pattern(type)


def test_whatever_looks_like_a_type_is_on_the_list() -> None:
    """Types that reach audit.record through a variable."""
    like_a_type = re.compile(rf"({'|'.join(WORDS)})\.[a-z_]+")
    texts = {str(node.value) for node in nodes() if isinstance(node, ast.Constant)}
    assert {text for text in texts if like_a_type.fullmatch(text)} - {TEST} <= set(TYPES)


def test_every_state_of_a_job_can_be_listened_to() -> None:
    assert set(get_args(JobState)) <= set(WORDS["job"])


@pytest.mark.parametrize(
    ("pattern", "is_match"),
    [("job.failed", True), ("job.*", True), ("*", True), ("job.succeeded", False), ("node.*", False), ("job", False)],
)
def test_a_pattern_is_a_type_a_noun_or_all(pattern: str, is_match: bool) -> None:
    assert matches([pattern], "job.failed") == is_match
    assert matches(["node.lost", pattern], "job.failed") == is_match


def test_no_pattern_matches_nothing() -> None:
    for pattern in ("*", *TYPES, *(f"{noun}.*" for noun in WORDS)):
        assert any(matches([check_pattern(pattern)], type) for type in TYPES)


@pytest.mark.parametrize("pattern", ["", ".", "job", "job.", "job.exploded", "cat.*", "**", "j*", "*.failed", "JOB.*"])
def test_a_pattern_that_nothing_can_match_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="there is no event"):
        check_pattern(pattern)


async def test_each_type_has_a_meaning_that_is_a_sentence(server: Server) -> None:
    items = (await server.admin.get("/api/v1/events/types")).json()["items"]
    assert tuple(item["type"] for item in items) == TYPES
    assert [item for item in items if not re.fullmatch(r"[A-Z][^.]+\.", item["meaning"])] == []
