"""The OpenAPI document, and the TypeScript client made from it."""

import asyncio
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from tests.server.conftest import ONE_SIZE, Server

from ringscope_server.http import routes
from ringscope_server.openapi import document

COMMITTED = Path(__file__).parents[3] / "frontend" / "openapi.json"


def test_the_committed_document_is_the_servers() -> None:
    assert COMMITTED.read_text() == document(), "run `npm run generate` in frontend/"


def test_every_module_of_routes_is_in_the_application() -> None:
    package = Path(routes.__file__).parent
    modules = [import_module(f"{routes.__name__}.{path.stem}") for path in package.glob("[a-z]*.py")]
    written = {
        route.operation_id
        for module in modules
        for router in vars(module).values()
        if isinstance(router, APIRouter)
        for route in router.routes
        if isinstance(route, APIRoute) and route.include_in_schema and router.include_in_schema
    }
    missing = written - {operation["operationId"] for _, operation in operations()}
    assert len(written) > 50
    assert not missing, "include the module's router in routes() of ringscope_server/app.py"


def operations() -> list[tuple[str, dict[str, Any]]]:
    paths = json.loads(document())["paths"]
    return [(method, operation) for methods in paths.values() for method, operation in methods.items()]


def test_every_operation_says_how_it_refuses() -> None:
    shared = json.loads(document())["components"]
    assert all(list(answer["content"]) == ["application/problem+json"] for answer in shared["responses"].values())
    assert "Retry-After" in shared["responses"]["Failed"]["headers"]
    assert "WWW-Authenticate" in shared["responses"]["NotLoggedIn"]["headers"]
    assert shared["parameters"]["Client"]["name"] == "X-Ringscope-Client"
    for method, operation in operations():
        refusals = {status: answer for status, answer in operation["responses"].items() if not status.startswith("2")}
        names = {"4XX": "Refused", "5XX": "Failed"} | ({"401": "NotLoggedIn"} if "security" in operation else {})
        expected = {status: {"$ref": f"#/components/responses/{name}"} for status, name in names.items()}
        assert refusals == expected, operation["operationId"]
        needs_header = "security" in operation and method != "get"
        assert needs_header == ({"$ref": "#/components/parameters/Client"} in operation.get("parameters", []))


async def test_where_something_was_made_is_told_as_documented(server: Server) -> None:
    told = {operation["operationId"] for _, operation in operations() if "Location" in made(operation)}
    assert told == {"create_job", "retry_job", "clone_job", "create_webhook", "create_schedule", "run_schedule"}
    await server.node()
    answer = await server.admin.post("/api/v1/jobs", json=ONE_SIZE)
    assert (await server.admin.get(answer.headers["location"])).json()["id"] == answer.json()["id"]


def made(operation: dict[str, Any]) -> dict[str, Any]:
    headers: dict[str, Any] = operation["responses"].get("201", {}).get("headers", {})
    return headers


async def test_a_wrong_method_is_told_all_that_there_are(server: Server) -> None:
    for path, methods in (
        ("/api/v1/jobs", "GET, HEAD, POST"),
        ("/api/v1/jobs/1", "GET, HEAD, PATCH"),
        ("/api/v1/jobs/1/cancel", "POST"),
        ("/", "GET, HEAD"),
    ):
        answer = await server.admin.put(path)
        assert (answer.status_code, answer.headers["allow"]) == (405, methods), path
        assert answer.json()["detail"] == f"PUT is not possible here; use {methods}."
        answer = await server.client().options(path)
        assert (answer.status_code, answer.headers["allow"]) == (204, f"{methods}, OPTIONS"), path


async def test_every_route_that_answers_get_answers_head_without_a_body(server: Server) -> None:
    await server.node("1")
    job = await server.submit(**ONE_SIZE)
    assert job["id"] == 1
    for path in (path for path, methods in json.loads(document())["paths"].items() if "get" in methods):
        filled = re.sub(r"\{[^}]+\}", "1", path)
        async with asyncio.timeout(60):
            head = await server.admin.head(filled)
        assert head.content == b"", path
        assert head.status_code != 405, path
        if path.endswith("/stream"):
            continue
        got = await server.admin.get(filled)
        told = {name: got.headers.get(name) for name in ("content-type", "etag")}
        assert (head.status_code, {name: head.headers.get(name) for name in told}) == (got.status_code, told), path


def test_every_operation_has_an_id_and_a_summary() -> None:
    found = [operation for _, operation in operations()]
    assert len(found) > 15
    assert all(operation["operationId"] and operation["description"] for operation in found)
    assert len({operation["operationId"] for operation in found}) == len(found)
