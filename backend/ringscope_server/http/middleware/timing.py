"""Durations of requests, by the template of their route."""

import time
from collections.abc import Callable
from functools import cached_property

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ringscope.contracts.metrics.histogram import Histograms

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Labels for requests without a route of the API: the page and its files, and unknown paths.
NO_ROUTE, OTHER = "none", "other"


class RequestTimes:
    """ASGI middleware: observes the time until each answer begins, because a stream does not end."""

    def __init__(
        self, app: ASGIApp, api: FastAPI, times: Histograms, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self.app = app
        self._api = api
        self._times = times
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and observe the time when its answer begins."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = self._clock()

        async def timed(message: Message) -> None:
            if message["type"] == "http.response.start":
                method = scope["method"] if scope["method"] in METHODS else OTHER
                route = self._templates.get(id(scope.get("route")), NO_ROUTE)
                self._times.of(method, route, str(message["status"])).observe([self._clock() - began])
            await send(message)

        await self.app(scope, receive, timed)

    @cached_property
    def _templates(self) -> dict[int, str]:
        """Return the whole path of each route with its parameters' names; a route alone knows only its own part."""
        return {id(context.original_route): context.path or "" for context in iter_route_contexts(self._api.routes)}
