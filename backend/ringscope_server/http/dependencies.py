"""The services of a server: put beside each request that it gets, and a dependency of the routes."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from ringscope_server.services import Services


class WithServices:
    """ASGI middleware: the routes are of no server in particular, so each request brings its server's services."""

    def __init__(self, app: ASGIApp, services: Services) -> None:
        self.app = app
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with them."""
        if scope["type"] == "http":
            scope.setdefault("state", {})["services"] = self._services
        await self.app(scope, receive, send)


async def get_services(request: Request) -> Services:
    """The services of the server that got this request; async, as anything else runs in another thread."""
    services: Services = request.state.services
    return services


ServicesDep = Annotated[Services, Depends(get_services)]
