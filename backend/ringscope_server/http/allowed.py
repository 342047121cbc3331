"""The methods that a path takes: Starlette's answer 405 knows those of one route only."""

from functools import cached_property
from re import Pattern

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.routing import compile_path


class AllowedMethods:
    """Of all routes of an application."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    def of(self, path: str) -> str:
        """As the header Allow has them."""
        found = [methods for pattern, methods in self._routes if pattern.match(path)]
        methods = set().union(*found) or {"GET"}  # no route: it is one of the page's files
        return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))

    @cached_property
    def _routes(self) -> list[tuple[Pattern[str], set[str]]]:
        contexts = [context for context in iter_route_contexts(self._app.routes) if context.path]
        found = [(context.path or "", getattr(context.original_route, "methods", None)) for context in contexts]
        return [(compile_path(path)[0], methods) for path, methods in found if methods]
