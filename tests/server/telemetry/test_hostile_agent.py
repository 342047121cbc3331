"""An agent that says what it likes, in nearly right words: nothing fails, nothing wedges, nothing counts twice."""

import asyncio
import json
import random
from collections.abc import Callable, Coroutine
from copy import deepcopy
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from sqlalchemy import func, select
from tests.server.agent_messages import HARDWARE, ODD, PULSE_OF_RANK, RECORDS, REPORT, REPORTS, SURE
from tests.server.conftest import ONE_SIZE, FakeAgent, Server, measurement, steps
from tests.server.training_records import TRAINING, epoch, training_steps

from ringscope_server.db.models import Epoch, Event, LogLine, Measurement, Step, Trace
from ringscope_server.nodes.health import LOST_AFTER
from ringscope_server.results.comparison import Comparison
from ringscope_server.results.export import MEDIA_TYPES

ROWS = (Step, Measurement, LogLine, Trace, Epoch, Event)
# So that several have curves, and there is a verdict between them.
SEVERAL = ONE_SIZE | {
    "benchmark": {"algorithms": ["ring", "direct", "ring_pipelined", "mpi"], "min_bytes": 1024, "max_bytes": 2048}
}
HOSTILE = [
    *(
        None,
        True,
        -1,
        0,
        1,
        2**31 - 1,
        2**31,
        2**63,
        2**64,
        -(2**63) - 1,
        0.5,
        128,
        2**40,
        2**53,
        2**63 - 1,
        5e-324,
        1e-300,
        1e9,
        1e15,
        1e200,
        1e308,
        float("nan"),
        float("inf"),
        10**400,
    ),
    *(
        "",
        "0",
        "x" * 2000,
        "\ud800",
        "\0",
        "\x1b[2J",
        "a/b",
        "..",
        "'; DROP TABLE jobs; --",
        "\N{RIGHT-TO-LEFT OVERRIDE}",
    ),
    *("mpi", "ring", "ring_pipelined", "auto", "foo", "all_gather", "float64", "max", "simulated"),
    *([], {}, [[]], {"a": None}, [None], [1, "2", []], {"\ud800": "\0"}),
]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places in a message where something else may be put."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] * bool(path) + [found for key, inner in items for found in leaves(inner, (*path, key))]


@st.composite
def spoiled(draw: st.DrawFn, message: dict[str, Any]) -> dict[str, Any]:
    """Draw the message with up to three values exchanged or left out, and sometimes with an unknown one."""
    message = json.loads(json.dumps(message))
    for _ in range(draw(st.integers(0, 3))):
        *way, last = draw(st.sampled_from(leaves(message) or [("x",)]))
        holder: Any = message
        for key in way:
            holder = holder[key]
        if isinstance(holder, dict) and draw(st.integers(0, 5)) == 0:
            holder.pop(last, None)
        else:
            holder[last] = deepcopy(draw(st.sampled_from(HOSTILE)))  # a later one may be put into it
    if draw(st.integers(0, 9)) == 0:
        message["unknown"] = draw(st.sampled_from(HOSTILE))
    return message


@st.composite
def odd(draw: st.DrawFn) -> dict[str, Any]:
    """A good row, step or epoch with up to three of its values in place of others that are nearly right."""
    good = [measurement(**SURE), measurement(in_place=True, **SURE), steps(count=1), training_steps(count=1)]
    record = draw(st.sampled_from([*good, epoch(1)]))
    values = ODD[record["type"]]
    names = draw(st.lists(st.sampled_from([*values]), max_size=3, unique=True))
    return record | {name: draw(st.sampled_from(values[name])) for name in names}


def no_number(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")


class HostileAgent(RuleBasedStateMachine):
    """A node of two slots, whose agent has a valid token and sends invalid messages."""

    def __init__(self, server: Server, agent: FakeAgent, wait: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        super().__init__()
        self.server, self.agent, self.wait = server, agent, wait
        paths = [path for path, operations in server.api.openapi()["paths"].items() if "get" in operations]
        known = ("{job_id}", "{name}")
        self.pages = [path for path in paths if path.count("{") <= sum(key in path for key in known)]
        self.pages.remove("/api/v1/stream")
        self.pages += [
            "/api/v1/comparison?job={job_id}",
            "/api/v1/comparison/standings?job={job_id}",
            "/api/v1/jobs/{job_id}/latencies?algorithm=ring&size_bytes=1024",
            *(f"/api/v1/jobs/{{job_id}}/steps/export?format={format}" for format in MEDIA_TYPES),
        ]

    @initialize(job=st.sampled_from([SEVERAL, ONE_SIZE, TRAINING]))
    def submit(self, job: dict[str, Any]) -> None:
        self.wait(self.agent.register())
        self.job_id: int = self.wait(self.server.submit(**job))["id"]
        self.wait(self.server.one_pass())
        self.attempt = self.wait(self.agent.assignments())[-1]["attempt_id"]
        self.sequence = 1

    @rule(seconds=st.sampled_from([0, 1, 6]))
    def one_pass(self, seconds: int) -> None:
        self.server.clock.advance(seconds)
        self.wait(self.server.one_pass())

    @rule(data=st.data(), event=st.sampled_from(REPORTS))
    def report(self, data: st.DataObject, event: str) -> None:
        more = data.draw(st.sampled_from([{}, {"reason": "completed"}, REPORT]))
        body = {"epoch": self.agent.epoch, "attempt_id": self.attempt, "event": event} | more
        self.post("reports", data.draw(spoiled(body)))

    @rule(data=st.data(), records=st.lists(st.sampled_from(RECORDS), min_size=1, max_size=4), again=st.integers(0, 3))
    def records(self, data: st.DataObject, records: list[dict[str, Any]], again: int) -> None:
        self.tell([data.draw(spoiled(record)) for record in records], again)

    @rule(records=st.lists(odd(), min_size=2, max_size=6), again=st.integers(0, 3))
    def odd_records(self, records: list[dict[str, Any]], again: int) -> None:
        self.tell(records, again)

    @rule()
    def ends_well(self) -> None:
        """Report a good end, whatever the agent did before."""
        for event in ("ready", "running", "ended"):
            body = {"epoch": self.agent.epoch, "attempt_id": self.attempt, "event": event, "reason": "completed"}
            self.post("reports", body)

    def tell(self, told: list[dict[str, Any]], again: int) -> None:
        first = max(1, self.sequence - again)
        body = {"epoch": self.agent.epoch, "attempt_id": self.attempt, "first_sequence": first, "records": told}
        answer = self.post("records", body)
        stored = self.wait(self._rows())
        self.post("records", body)  # as after an answer that was lost
        assert self.wait(self._rows()) == stored or answer.json()["last_sequence"] < first + len(told) - 1
        if answer.status_code == 200:
            self.sequence = answer.json()["last_sequence"] + 1
            assert self.sequence >= first

    @rule(data=st.data())
    def batch(self, data: st.DataObject) -> None:
        body = {"epoch": self.agent.epoch, "attempt_id": self.attempt, "first_sequence": self.sequence, "records": []}
        self.post("records", data.draw(spoiled(body)))

    @rule(data=st.data())
    def poll(self, data: st.DataObject) -> None:
        body = {"epoch": self.agent.epoch, "seen": -1, "clock_offset_seconds": 0.1, "clock_error_seconds": 0.1}
        self.post("poll", data.draw(spoiled(body)))

    @rule(data=st.data())
    def pulse(self, data: st.DataObject) -> None:
        body = {"epoch": self.agent.epoch, "attempt_id": self.attempt, "time_us": 1, "ranks": [PULSE_OF_RANK]}
        self.post("pulses", data.draw(spoiled(body)))

    @rule(data=st.data())
    def register(self, data: st.DataObject) -> None:
        said = self.agent.introduction()
        leaves_at = data.draw(st.sampled_from(["2026-01-01T00:00:01Z", "9999-12-31T23:59:59Z", None]))
        whole = said | {"inventory": said["inventory"] | HARDWARE, "leaves_at": leaves_at}
        body = data.draw(spoiled(data.draw(st.sampled_from([said, whole]))))
        if body.get("name") == self.agent.name:  # as another node it would need a token of its own
            self.send("/api/v1/agents/register", body)

    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        if self.post("leave", data.draw(spoiled({"epoch": self.agent.epoch}))).status_code == 204:
            self.agent.client = None  # its token has ended; the next call has another

    @rule(is_wanted=st.booleans(), is_used=st.booleans())
    def rotate(self, is_wanted: bool, is_used: bool) -> None:
        if is_wanted:
            self.wait(self._want_rotation())
        answer = self.post("rotate", {})
        if answer.status_code == 200 and is_used:
            self.agent.client = self.server.client(answer.json()["token"])

    def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        return self.send(f"/api/v1/agents/{self.agent.name}/{path}", body)

    def send(self, url: str, body: dict[str, Any]) -> httpx.Response:
        answer: httpx.Response = self.wait(self.posted(url, json.dumps(body)))
        assert answer.status_code < 500, answer.text
        if answer.status_code >= 400:
            assert answer.headers["Content-Type"] == "application/problem+json", answer.headers
            assert answer.json()["detail"]
        return answer

    async def posted(self, url: str, body: str) -> httpx.Response:
        speaker = await self.agent.speaker()
        return await speaker.post(url, content=body, headers={"Content-Type": "application/json"})

    def teardown(self) -> None:
        """People can read all of it, and the next good job succeeds: on another node when this one falls silent, and
        on these slots when it is back.
        """
        if not hasattr(self, "job_id"):
            return
        self.people_read()
        self.wait(self.fall_silent())
        self.wait(self.server.admin.post(f"/api/v1/jobs/{self.job_id}/cancel"))
        other = self.wait(self.server.node("n2", self.agent.slots))
        self.good_job(other)
        assert self.wait(other.post("leave", {})).status_code == 204
        self.agent.client = None  # its token has ended where it said when it leaves, and that time has come
        self.wait(self.agent.register())
        self.clean()
        self.good_job(self.agent)

    async def fall_silent(self) -> None:
        self.server.clock.advance(2 * LOST_AFTER.total_seconds())
        await self.server.one_pass()

    def good_job(self, agent: FakeAgent) -> None:
        job_id = self.wait(self.server.submit(**ONE_SIZE))["id"]
        attempt = self.wait(agent.start_next())
        agent.sequence = 0
        self.wait(agent.records(attempt, measurement(), measurement(in_place=True)))
        for event in ("ended", "clean"):
            self.wait(agent.report(attempt, event, reason="completed"))
        job = self.wait(self.server.job(job_id))
        assert job["state"] == "succeeded", job

    def people_read(self) -> None:
        job = self.wait(self.server.job(self.job_id))
        for path in self.pages:
            url = path.format(job_id=self.job_id, name=self.agent.name)
            answer = self.wait(self.server.admin.get(url))
            assert answer.status_code < 500, (url, answer.text)
            if answer.headers["Content-Type"] == "application/json":
                json.loads(answer.text, parse_constant=no_number)
            if path.startswith("/api/v1/comparison?") and job["kind"] == "benchmark":
                Comparison.model_validate_json(answer.text)  # which has null where there is no number

    def clean(self) -> None:
        """The agent ends what it has, until nothing is asked of it; a retry is taken back by the person."""
        for _ in range(5):
            assigned = self.wait(self.agent.assignments())
            for each in assigned:
                self.wait(self.agent.report(each["attempt_id"], "clean"))
            self.wait(self.server.admin.post(f"/api/v1/jobs/{self.job_id}/cancel"))
            self.wait(self.server.one_pass())
            if not assigned:
                return
        raise AssertionError("it never ends")

    async def _want_rotation(self) -> None:
        for token in (await self.server.admin.get("/api/v1/tokens")).json()["items"]:
            if token["node"] == self.agent.name:
                await self.server.admin.post(f"/api/v1/tokens/{token['id']}/rotate")

    async def _rows(self) -> list[int | None]:
        async with self.server.services.database.read() as session:
            return [await session.scalar(select(func.count()).select_from(table)) for table in ROWS]


@pytest.mark.parametrize("database_url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)], indirect=True)
@pytest.mark.parametrize("stories", [4, pytest.param(150, marks=pytest.mark.long)])
async def test_whatever_an_agent_says_the_next_good_job_succeeds(
    server: Server, stories: int, request: pytest.FixtureRequest
) -> None:
    """The gate has the same few stories each time; the long ones are others each time, by a seed that is printed."""
    agent = await server.node("n1", 2)
    loop = asyncio.get_running_loop()

    def wait(work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(timeout=120)

    def machine() -> HostileAgent:
        return HostileAgent(server, agent, wait)

    is_sample = stories == 4
    number = int(request.config.getoption("--hypothesis-seed") or random.getrandbits(32))
    print(f"--hypothesis-seed={number}")  # noqa: T201  # pytest shows it where a story fails
    await asyncio.to_thread(
        run_state_machine_as_test,
        machine if is_sample else seed(number)(machine),
        settings=settings(
            max_examples=stories,
            stateful_step_count=8,
            deadline=None,
            derandomize=is_sample,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
