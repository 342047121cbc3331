"""Numbers in paths and queries have bounds, and the database's refusals are reported before a file has begun."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from tests.server.conftest import ONE_SIZE, Server

from ringscope_server.results import step_rows

TOO_LARGE = 2**63


def unbounded(schema: dict[str, Any]) -> bool:
    """Return whether the schema allows an integer of any size."""
    if schema.get("type") == "integer" and not {"enum", "const"} & schema.keys():
        return not ({"minimum", "exclusiveMinimum"} & schema.keys() and {"maximum", "exclusiveMaximum"} & schema.keys())
    inner = [part for word in ("anyOf", "oneOf", "allOf") for part in schema.get(word, ())]
    return any(map(unbounded, [*inner, *([schema["items"]] if "items" in schema else [])]))


def test_a_number_without_bounds_is_seen() -> None:
    assert unbounded({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]})
    assert not unbounded({"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 9}})


async def test_every_number_in_a_path_or_query_has_bounds(server: Server) -> None:
    found = [
        f"{method} {path}: {parameter['name']}"
        for path, methods in server.api.openapi()["paths"].items()
        for method, operation in methods.items()
        for parameter in operation.get("parameters", ())
        if "$ref" not in parameter and unbounded(parameter["schema"])
    ]
    assert found == [], "give them ge and le, or the type http.lookups.Id"


@pytest.mark.parametrize("format", ["csv", "ndjson", "openmetrics"])
async def test_a_rank_that_no_database_can_hold_is_refused(server: Server, format: str) -> None:
    await server.node()
    await server.submit(**ONE_SIZE)
    for path in ("steps", "steps/export"):
        answer = await server.admin.get(f"/api/v1/jobs/1/{path}", params={"rank": TOO_LARGE, "format": format})
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/rank"), answer.text


async def test_a_file_that_cannot_be_read_is_no_answer_that_breaks_off(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object, **__: object) -> AsyncIterator[Any]:
        error = Exception("locked")
        error.sqlite_errorcode = 5  # type: ignore[attr-defined]
        raise OperationalError("SELECT", {}, error)
        yield

    await server.node()
    await server.submit(**ONE_SIZE)
    monkeypatch.setattr(step_rows, "whole_rows", fails)
    monkeypatch.setattr(step_rows, "batches", fails)
    for format in ("csv", "openmetrics"):
        answer = await server.admin.get("/api/v1/jobs/1/steps/export", params={"format": format})
        assert answer.status_code == 503, answer.text
