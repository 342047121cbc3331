"""HEAD is answered like GET, without the body (RFC 9110, section 9.3.2)."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The page's files and the health pages answer HEAD by themselves.
PATHS = ("/api/", "/docs")


class HeadAsGet:
    """ASGI middleware: runs a route as for GET and sends only the head of its answer.

    Once the head is sent the client counts as disconnected, so that nothing more is read for a long file or a stream.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, a HEAD request as a GET request."""
        if scope["type"] != "http" or scope["method"] != "HEAD" or not scope["path"].startswith(PATHS):
            await self.app(scope, receive, send)
            return
        has_head = False

        async def until_the_head() -> Message:
            return {"type": "http.disconnect"} if has_head else await receive()

        async def head_only(message: Message) -> None:
            nonlocal has_head
            if message["type"] == "http.response.start":
                has_head = True
                await send(message)
                await send({"type": "http.response.body", "body": b"", "more_body": False})

        await self.app({**scope, "method": "GET"}, until_the_head, head_only)
