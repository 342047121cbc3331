"""The methods that a path allows; Starlette's 405 answer knows those of one route only."""

from functools import cached_property
from re import Pattern

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.routing import compile_path


class AllowedMethods:
    """The allowed methods of all routes of an application."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    def of(self, path: str) -> str:
        """Return the value of the header Allow."""
        found = [methods for pattern, methods in self._routes if pattern.match(path)]
        methods = set().union(*found) or {"GET"}  # no route: it is one of the page's files
        return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))

    @cached_property
    def _routes(self) -> list[tuple[Pattern[str], set[str]]]:
        contexts = [context for context in iter_route_contexts(self._app.routes) if context.path]
        found = [(context.path or "", getattr(context.original_route, "methods", None)) for context in contexts]
        return [(compile_path(path)[0], methods) for path, methods in found if methods]
