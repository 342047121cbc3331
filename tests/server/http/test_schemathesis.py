"""Every operation of the OpenAPI document, called by everybody with what schemathesis thinks up: no 5xx.

Answers are as documented. Operations are taken from the document, so a new route is tested from its first day.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from ringscope_server.openapi import document

# The gate asks always the same; what is long thinks of something new each time, and says how to have it again.
IS_GATE = settings().derandomize
# The live stream never ends; tests/server/live/test_stream.py reads it.
api = schemathesis.openapi.from_dict(json.loads(document())).exclude(operation_id="stream")
api.config.phases.coverage.unexpected_methods = {"PUT"}
api.config.phases.coverage.enabled = not IS_GATE
api.config.seed = 1 if IS_GATE else int.from_bytes(os.urandom(4))
# One for each way to refuse: to read, to change, what only administrators see, and what only agents say.
FEW = api.include(operation_id=["list_jobs", "cancel_job", "drain_node", "list_tokens", "leave_agent"])
CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
)


@dataclass
class Live:
    """A server process, and a token for each kind of caller."""

    url: str
    admin: str
    agent: str
    join: str
    viewer: str
    own_ids: set[str]  # as they stand in a path
    session: requests.Session = field(default_factory=requests.Session)

    def token_for(self, path: str) -> str:
        """The token that opens this path."""
        if not path.startswith("/api/v1/agents/"):
            return self.admin
        return self.join if path.endswith("/join") else self.agent

    def others(self, path: str) -> list[dict[str, str]]:
        """The headers of everybody else who might call it."""
        tokens = {self.admin, self.agent, self.viewer} - {self.token_for(path)}
        return [{}, *({"Authorization": f"Bearer {token}"} for token in sorted(tokens))]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    data_dir = tmp_path_factory.mktemp("server")
    flags = {"data-dir": data_dir, "port": 0, "requests-per-second": 0, "poll-seconds": 0.05}
    command = [sys.executable, "-m", "ringscope_server", *(f"--{name}={value}" for name, value in flags.items())]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RINGSCOPE_")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        try:
            yield prepared(url, data_dir)
        finally:
            server.terminate()


def prepared(url: str, data_dir: Path) -> Live:
    """Something of everything, so that operations find what they ask for."""
    admin = (data_dir / "admin-token").read_text().strip()
    with httpx.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {admin}"}, timeout=60) as client:
        join = client.post("/tokens", json={"name": "lab", "kind": "join"}).json()
        agent = client.post("/tokens", json={"name": "lab", "kind": "agent", "node": "0"}).json()["secret"]
        viewer = client.post("/tokens", json={"name": "eve", "role": "viewer"}).json()["secret"]
        own_ids = {str(item["id"]) for item in client.get("/tokens").json()["items"]}
        inventory = {"hostname": "0", "os": "Linux", "cpu_model": "x", "cores": 2, "memory_bytes": 1}
        node = {"name": "0", "address": "0", "slots": 64, "metrics_address": "0:9465", "inventory": inventory}
        headers = {"Authorization": f"Bearer {agent}"}
        client.post("/agents/register", json=node | {"versions": {}}, headers=headers).raise_for_status()
        for _ in range(3):
            client.post("/jobs", json={"placement": {"ranks": 64}}).raise_for_status()
    return Live(url, admin, agent, join["secret"], viewer, own_ids)


def existing(name: str, value: object) -> object:
    """Another key of a path in place of one at random: mostly one that ``prepared`` has made."""
    if isinstance(value, int) and 0 < value < 2**31:
        return value % 4
    return "0" if name == "name" and isinstance(value, str) and value.isalnum() else value


def thinking_up(examples: int) -> settings:
    return settings(
        max_examples=examples,
        derandomize=IS_GATE,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def called(case: schemathesis.Case, live: Live, headers: dict[str, str]) -> requests.Response:
    case.path_parameters = {name: existing(name, value) for name, value in (case.path_parameters or {}).items()}
    operation = case.operation.definition.raw["operationId"]
    if operation == "revoke_token" and str(case.path_parameters.get("token_id")) in live.own_ids:
        case.path_parameters["token_id"] = 10**6
    # Once node 0 is lost, removing it ends the agent's token, and so does joining in its name; a slow machine loses it.
    if operation == "remove_node":
        case.path_parameters["name"] = "another"
    if operation == "join_agent" and isinstance(case.body, dict) and case.body.get("name") == "0":
        case.body["name"] = "another"
    response: requests.Response = case.call(
        base_url=live.url, session=live.session, headers=headers, timeout=60, allow_redirects=False
    )
    case.validate_response(response, checks=list(CHECKS))
    return response


@api.parametrize()
@thinking_up(examples=2 if IS_GATE else 12)
def test_no_operation_fails_and_each_answers_as_documented(case: schemathesis.Case, live: Live) -> None:
    response = called(case, live, {"Authorization": f"Bearer {live.token_for(case.operation.path)}"})
    is_login = case.operation.definition.raw["operationId"] == "create_session"
    assert response.status_code != 401 or is_login, "the token is worth nothing any more"


@pytest.mark.long
@FEW.parametrize()
@thinking_up(examples=1)
def test_nor_do_some_for_a_viewer_and_for_nobody(case: schemathesis.Case, live: Live) -> None:
    for headers in live.others(case.operation.path):
        called(case, live, headers)


@pytest.mark.long
@api.parametrize()
@thinking_up(examples=2)
def test_nor_does_it_for_those_who_may_not_call_it(case: schemathesis.Case, live: Live) -> None:
    for headers in live.others(case.operation.path):
        called(case, live, headers)
