"""The time for which a browser may cache an answer."""

import re

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HASHED = re.compile(r"/assets/(?!\.)[^/]+")  # and not what a path with .. resolves to
FOR_EVER = "public, max-age=31536000, immutable"


class CacheControl:
    """ASGI middleware: files under /assets have a hash in their name and never change; all else must be revalidated."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the header to the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_header(message: Message) -> None:
            if message["type"] == "http.response.start":
                is_asset = HASHED.fullmatch(scope["path"]) and message["status"] in (200, 304)
                MutableHeaders(scope=message).setdefault("Cache-Control", FOR_EVER if is_asset else "no-cache")
            await send(message)

        await self.app(scope, receive, with_header)
