"""The server suggests the next step for a job that waits, runs or has ended."""

import inspect
import re

import pytest

from ringscope_server.jobs.advice import ENDED, WAITING, advice
from ringscope_server.placement import pending


@pytest.mark.parametrize("reason", [*ENDED, "something_new", None])
def test_every_end_has_a_next_step(reason: str | None) -> None:
    told = advice(7, "failed", reason)
    assert told.endswith(".")
    assert "{" not in told


@pytest.mark.parametrize("reason", [*WAITING, "something_new", None])
def test_every_wait_has_a_next_step(reason: str | None) -> None:
    told = advice(7, "queued", waits_for=reason)
    assert told.endswith(".")
    assert "{" not in told


@pytest.mark.parametrize(
    ("state", "words"), [("held", "release 7"), ("running", "logs 7 -f"), ("stopping", "being ended")]
)
def test_a_job_on_its_way(state: str, words: str) -> None:
    assert words in advice(7, state)


@pytest.mark.parametrize(("nodes", "name"), [(["n2"], "n2"), (["n1", "n2"], "NAME"), ([], "NAME")])
def test_the_node_is_named_where_it_is_known(nodes: list[str], name: str) -> None:
    assert f"`ringscope node {name}`" in advice(7, "failed", "launch_failed", nodes=nodes)


def test_a_failed_launch_is_not_said_to_have_lines_in_the_log() -> None:
    assert "shows the launcher's lines, if it printed any." in advice(7, "failed", "launch_failed")


def test_every_reason_to_wait_has_a_next_step_of_its_own() -> None:
    reasons = set(re.findall(r'Why\(\s*"(\w+)"', inspect.getsource(pending)))
    assert {"leaving", "behind", "slots"} <= reasons
    assert reasons <= WAITING.keys()


@pytest.mark.parametrize("reason", WAITING.keys() - {"behind", "reserved"})
def test_a_priority_is_proposed_only_to_who_waits_behind_another_job(reason: str) -> None:
    assert "`ringscope priority" not in advice(7, "queued", waits_for=reason)
