"""Tokens on the command line."""

import json
from typing import Any

from tests.cli.fake_api import Answer, FakeApi, items


def token(**fields: Any) -> dict[str, Any]:
    usual = {
        "id": 5,
        "name": "ci",
        "kind": "personal",
        "role": "operator",
        "node": None,
        "note": "",
        "created_by": "admin",
        "created_at": "2026-01-01T00:00:00Z",
        "expires_at": None,
        "last_used_at": None,
    }
    return usual | fields


def test_the_secret_is_alone_on_stdout(api: FakeApi) -> None:
    api.answers["POST /tokens"] = Answer(token(secret="rs_abc"), 201)
    done = api.run("token", "add", "ci", "--role", "operator", "--days", "30", "--note", "pipeline")
    assert done.out == "rs_abc\n"
    assert done.err.startswith("Token 5 ci (operator), without an end. Keep the secret now")
    assert api.last.body == {
        "name": "ci",
        "kind": "personal",
        "role": "operator",
        "expires_in_days": 30,
        "note": "pipeline",
    }
    quiet = api.run("token", "add", "ci", "--role", "operator", "-q")
    assert (quiet.out, quiet.err) == ("rs_abc\n", "")
    assert json.loads(api.run("token", "add", "ci", "--role", "operator", "--json").out)["secret"] == "rs_abc"


def test_a_token_that_lets_nodes_join_has_no_role(api: FakeApi) -> None:
    made = token(kind="join", role="agent", name="rack1", secret="rs_join", expires_at="2036-01-01T00:00:00Z")
    api.answers["POST /tokens"] = Answer(made, 201)
    done = api.run("token", "add", "rack1", "--kind", "join")
    assert done.out == "rs_join\n"
    assert done.err.startswith("Token 5 rack1 (join), until 2036-01-01 ")
    assert api.last.body == {"name": "rack1", "kind": "join"}


def test_the_list_has_no_secret(api: FakeApi) -> None:
    api.answers["GET /tokens"] = items(token(), token(id=6, expires_at="2036-01-01T00:00:00Z"))
    heading, first, second = api.run("tokens").out.splitlines()
    assert heading.split("  ")[0] == "ID"
    assert first.count("never") == 2
    assert "2036-01-01" in second
    assert "secret" not in json.loads(api.run("tokens", "--json").out)[0]


def test_revoking(api: FakeApi) -> None:
    api.answers["DELETE /tokens/5"] = Answer("", 204)
    assert api.run("token", "revoke", "5").out == "Token 5 is revoked, with everything that was created with it.\n"


def test_rotating(api: FakeApi) -> None:
    api.answers["POST /tokens/5/rotate"] = Answer(
        token(kind="agent", node="n1", rotation_wanted_at="2026-01-01T00:00:00Z")
    )
    done = api.run("token", "rotate", "5")
    assert done.out == (
        "Token 5 is rotated at the next call of the agent of node n1; until then the old one is valid.\n"
    )


def test_a_share_link_is_alone_on_stdout(api: FakeApi) -> None:
    link = {"id": 9, "url": "http://server/login?token=rs_x&next=/jobs/7", "expires_at": "2036-01-08T00:00:00Z"}
    api.answers["POST /share-links"] = Answer(link, 201)
    done = api.run("token", "share", "/jobs/7", "--days", "2")
    assert done.out == f"{link['url']}\n"
    assert done.err.startswith("Anyone with this link can view everything and change nothing. It expires ")
    assert "ringscope token revoke 9" in done.err
    assert api.last.body == {"next": "/jobs/7", "expires_in_days": 2}
