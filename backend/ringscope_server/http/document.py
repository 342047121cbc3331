"""Additions to the OpenAPI document that hold for every operation, so that no route has to state them."""

from typing import Any

from fastapi import FastAPI

from ringscope.contracts.protocol import PROBLEM_MEDIA_TYPE
from ringscope_server.http.auth import CLIENT_HEADER, SAFE_METHODS
from ringscope_server.http.problems import ProblemDocument

_HEADER = {"schema": {"type": "string"}}
# For routes that create something: `responses=CREATED`.
CREATED: dict[int | str, dict[str, Any]] = {
    201: {"headers": {"Location": {"description": "The URL of what was created.", **_HEADER}}}
}
# For the application: any operation may answer like this.
RESPONSES: dict[int | str, dict[str, Any]] = {"4XX": {"model": ProblemDocument}}

_PROBLEM = {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}}
_RETRY_AFTER = {"description": "The seconds after which to try again; only with 503.", "schema": {"type": "integer"}}
_COMPONENTS = {
    "responses": {
        "Refused": {"description": "A problem document as in RFC 9457.", "content": _PROBLEM},
        "NotLoggedIn": {
            "description": "The token is missing or not valid.",
            "headers": {"WWW-Authenticate": {"description": "Bearer.", **_HEADER}},
            "content": _PROBLEM,
        },
        "Failed": {
            "description": "503: the database is full, busy or away and nothing was stored; 500: the server failed.",
            "headers": {"Retry-After": _RETRY_AFTER},
            "content": _PROBLEM,
        },
    },
    "parameters": {
        "Client": {
            "name": CLIENT_HEADER,
            "in": "header",
            "required": False,
            "description": "Any text. Changes with a browser's session need it; pages of other sites cannot send it.",
            **_HEADER,
        }
    },
}


def install(app: FastAPI) -> None:
    """Add these to the application's document."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = generate()
            document["components"].update(_COMPONENTS)
            for methods in document["paths"].values():
                for method, operation in methods.items():
                    _complete(method.upper(), operation)
        return app.openapi_schema or {}

    app.openapi = openapi  # type: ignore[method-assign]


def _complete(method: str, operation: dict[str, Any]) -> None:
    told = {"4XX": "Refused", "5XX": "Failed"}
    if schemes := operation.get("security"):
        told["401"] = "NotLoggedIn"
        if method not in SAFE_METHODS and any("APIKeyCookie" in scheme for scheme in schemes):
            operation.setdefault("parameters", []).append({"$ref": "#/components/parameters/Client"})
    operation["responses"].update({status: {"$ref": f"#/components/responses/{name}"} for status, name in told.items()})
