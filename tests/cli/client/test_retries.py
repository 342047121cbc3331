"""The client repeats requests that are safe to repeat, waits for a busy server, and reports what it cannot repeat."""

from collections.abc import Callable

import httpx
import pytest
from tests.cli.fake_api import items, job

from ringscope.client import ApiProblemError, Client, ServerAwayError
from ringscope.client.connection import LONGEST_WAIT_SECONDS, PAUSES_SECONDS
from ringscope.contracts.errors import UserError


class Script:
    """A transport that raises or answers what it is given, in that order, and remembers the requests."""

    def __init__(self, *steps: Exception | httpx.Response) -> None:
        self.steps = list(steps)
        self.requests: list[httpx.Request] = []
        self.slept: list[float] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step

    def client(self) -> Client:
        return Client("http://server", "secret", httpx.MockTransport(self), self.slept.append)


NEVER_SENT = httpx.ConnectError("refused")
ANSWER_LOST = httpx.ReadError("reset")
SLOW = httpx.ReadTimeout("slow")


def made() -> httpx.Response:
    return httpx.Response(201, json=job(1))


def busy(after: str | None) -> httpx.Response:
    body = {"detail": "Too many requests; try again in a moment.", "code": "too_many_requests"}
    return httpx.Response(429, json=body, headers={} if after is None else {"Retry-After": after})


def test_a_submission_whose_answer_was_lost_is_sent_again_under_the_same_key() -> None:
    script = Script(ANSWER_LOST, NEVER_SENT, made())
    assert script.client().submit({"name": "n1"}).id == 1
    keys = {request.headers["Idempotency-Key"] for request in script.requests}
    assert (len(script.requests), len(keys)) == (3, 1)
    assert script.slept == list(PAUSES_SECONDS[:2])


def test_two_submissions_have_two_keys() -> None:
    script = Script(made(), made())
    client = script.client()
    client.submit({})
    client.submit({})
    assert len({request.headers["Idempotency-Key"] for request in script.requests}) == 2


@pytest.mark.parametrize(
    "act",
    [
        lambda client: client.remove_webhook(1),
        lambda client: client.edit_job(1, {"priority": 3}, revision=2),
    ],
)
def test_what_may_have_been_done_is_not_done_twice(act: Callable[[Client], object]) -> None:
    script = Script(ANSWER_LOST, made())
    with pytest.raises(ServerAwayError, match="http://server does not answer"):
        act(script.client())
    assert len(script.requests) == 1
    never_sent = Script(NEVER_SENT, made())
    act(never_sent.client())
    assert len(never_sent.requests) == 2


@pytest.mark.parametrize("verb", ["cancel", "hold", "release"])
def test_what_leads_to_the_same_state_is_sent_again(verb: str) -> None:
    script = Script(ANSWER_LOST, made())
    assert getattr(script.client(), verb)(1).id == 1
    assert [request.url.path for request in script.requests] == [f"/api/v1/jobs/1/{verb}"] * 2


def test_a_test_of_a_webhook_has_a_key() -> None:
    script = Script(httpx.Response(202, json={"detail": "x"}))
    with pytest.raises(UserError):
        script.client().test_webhook(1)
    assert script.requests[0].headers["Idempotency-Key"]


def test_a_change_without_a_revision_may_be_done_twice() -> None:
    script = Script(ANSWER_LOST, made())
    script.client().edit_job(1, {"priority": 3})
    assert len(script.requests) == 2
    assert "If-Match" not in script.requests[0].headers


def test_a_server_that_stays_away_is_told_after_a_few_tries() -> None:
    script = Script(*[NEVER_SENT] * 9)
    with pytest.raises(ServerAwayError, match="refused"):
        script.client().job(1)
    assert len(script.requests) == len(PAUSES_SECONDS) + 1
    assert script.slept == list(PAUSES_SECONDS)


def test_a_slow_answer_is_not_asked_for_again() -> None:
    script = Script(SLOW, made())
    with pytest.raises(ServerAwayError):
        script.client().job(1)
    assert len(script.requests) == 1


def test_a_busy_server_is_given_the_time_that_it_asks_for() -> None:
    script = Script(busy("2"), busy("0.5"), made())
    assert script.client().cancel(1).id == 1
    assert script.slept == [2.0, 0.5]


@pytest.mark.parametrize("after", [str(LONGEST_WAIT_SECONDS + 1), None, "tomorrow", "-1"])
def test_too_much_patience_is_not_shown(after: str | None) -> None:
    script = Script(busy(after), made())
    with pytest.raises(ApiProblemError, match="Too many requests") as refusal:
        script.client().cancel(1)
    assert (refusal.value.status, refusal.value.code, script.slept) == (429, "too_many_requests", [])


def test_a_server_that_stays_busy_is_told() -> None:
    script = Script(*[busy("1")] * 9)
    with pytest.raises(ApiProblemError):
        script.client().job(1)
    assert len(script.requests) == len(PAUSES_SECONDS) + 1


def test_pages_are_read_until_there_are_enough() -> None:
    def script() -> Script:
        pages = (items(job(4), job(3), next="a"), items(job(2), next="b"), items(job(1)))
        return Script(*(httpx.Response(200, json=page) for page in pages))

    everything = script()
    assert [found.id for found in everything.client().jobs(limit=None)] == [4, 3, 2, 1]
    assert [request.url.params.get("cursor") for request in everything.requests] == [None, "a", "b"]
    some = script()
    assert [found.id for found in some.client().jobs(limit=3)] == [4, 3, 2]
    assert [request.url.params["limit"] for request in some.requests] == ["3", "1"]


@pytest.mark.parametrize("body", ["<html>", "[]", "7"])
def test_something_that_is_no_ringscope_server_is_told(body: str) -> None:
    client = Script(httpx.Response(200, text=body), httpx.Response(200, json={})).client()
    for read in (lambda: client.job(1), client.nodes):
        with pytest.raises(ServerAwayError, match="is not a Ringscope server; check RINGSCOPE_URL"):
            read()


def test_an_answer_of_a_newer_server_is_told() -> None:
    script = Script(httpx.Response(200, json=job(1, spec={"kind": "something_new"}, unknown=1)))
    with pytest.raises(UserError, match=r"cannot be read by this version \(Job, spec.kind\); update ringscope"):
        script.client().job(1)
    kept = Script(httpx.Response(200, json=job(1, unknown=1)))
    assert kept.client().job(1).model_dump()["unknown"] == 1


def test_a_name_cannot_lead_to_another_route() -> None:
    script = Script(httpx.Response(404, json={"detail": "There is no node.", "code": "not_found"}))
    with pytest.raises(ApiProblemError):
        script.client().node("../jobs/1?x=")
    assert script.requests[0].url.raw_path == b"/api/v1/nodes/..%2Fjobs%2F1%3Fx%3D"
