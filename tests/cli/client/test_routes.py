"""The client has a method for each of the server's routes that are for people."""

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_origin

import httpx
from tests.cli.conftest import Server

from ringscope.client import ApiProblemError, Client

API = "/api/v1"
OF_OTHERS = ("/agents", "/session", "/prometheus", "/engine")  # of agents, the browser, Prometheus, the web form


def requests() -> set[tuple[str, str]]:
    """Method and path of what each method of the client asks for."""
    asked: set[tuple[str, str]] = set()

    def refuse(request: httpx.Request) -> httpx.Response:
        asked.add((request.method, request.url.path.removeprefix(API)))
        return httpx.Response(404, json={"detail": "There is none.", "code": "not_found"})

    with Client("http://server", "secret", httpx.MockTransport(refuse)) as client:
        for name, method in inspect.getmembers(client, inspect.ismethod):
            if not name.startswith("_"):
                call(method)
    return asked


def call(method: Any) -> None:
    parameters = inspect.signature(method).parameters.values()
    arguments = [example(parameter.annotation) for parameter in parameters if parameter.default is parameter.empty]
    try:
        answer = method(*arguments)
        assert isinstance(answer, Iterator), f"{method.__name__} asked for nothing"
        next(answer)
    except ApiProblemError:
        pass


def example(annotation: Any) -> Any:
    examples = {int: 7, str: "x", Mapping: {}, Sequence: ("x",)}
    return examples[get_origin(annotation) or annotation]


def test_every_route_has_a_method(server: Server) -> None:
    paths = httpx.get(f"{server.url}/openapi.json", timeout=60).json()["paths"]
    asked = requests()
    routes = [
        (method.upper(), path.removeprefix(API))
        for path, methods in paths.items()
        for method, operation in methods.items()
        if not operation.get("deprecated") and path.startswith(API) and not path.removeprefix(API).startswith(OF_OTHERS)
    ]
    assert len(routes) > 10
    for method, path in routes:
        pattern = re.compile(re.sub(r"\{\w+\}", "[^/]+", path))
        is_asked = any(found == method and pattern.fullmatch(where) for found, where in asked)
        assert is_asked, f"{method} {path} has no method in ringscope/client; write one, and mix its class into Client"
