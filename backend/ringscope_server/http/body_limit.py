"""Refuses request bodies that are too large, before anything reads them into memory."""

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ringscope_server.http.problems import Problem


class BodyTooLargeError(Exception):
    """More bytes came than are allowed."""


class BodyLimit:
    """ASGI middleware: 413 by the declared length, or as soon as more bytes than allowed have come."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self.app = app
        self.max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, counting what is read of its body."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdecimal() and int(declared) > self.max_bytes:
            await self._refuse(scope, receive, send)
            return
        received = 0

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.max_bytes:
                raise BodyTooLargeError
            return message

        try:
            await self.app(scope, limited, send)
        except BodyTooLargeError:
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        sentence = f"The request body is larger than {self.max_bytes} bytes; send less at a time."
        document = Problem(413, "body_too_large", sentence).document
        response = JSONResponse(document.model_dump(), 413, media_type="application/problem+json")
        await response(scope, receive, send)
