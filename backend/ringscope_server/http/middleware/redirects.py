"""Redirections have a path without scheme and host, because a proxy may speak TLS for this server."""

from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class RelativeRedirects:
    """ASGI middleware: removes scheme and host from the Location of a redirection (RFC 9110, section 10.2.2)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""

        async def relative(message: Message) -> None:
            if message["type"] == "http.response.start" and 300 <= message["status"] < 400:
                headers = MutableHeaders(scope=message)
                if "location" in headers:
                    headers["location"] = urlsplit(headers["location"])._replace(scheme="", netloc="").geturl()
            await send(message)

        await self.app(scope, receive, relative if scope["type"] == "http" else send)
