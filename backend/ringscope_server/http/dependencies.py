"""The services of a server, attached to each request and available to routes as a dependency."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from ringscope_server.services import Services


class WithServices:
    """ASGI middleware: attaches the server's services to each request, because the routes belong to no one server."""

    def __init__(self, app: ASGIApp, services: Services) -> None:
        self.app = app
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with the services."""
        if scope["type"] == "http":
            scope.setdefault("state", {})["services"] = self._services
        await self.app(scope, receive, send)


async def get_services(request: Request) -> Services:
    """Return the services of the server that got this request; async, because a sync dependency runs in a thread."""
    services: Services = request.state.services
    return services


ServicesDep = Annotated[Services, Depends(get_services)]
