"""Files of the page that the build has already compressed: sent unchanged, in an encoding that the browser accepts."""

import re
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The smaller one first.
SUFFIXES = {"br": ".br", "gzip": ".gz"}
NEVER = re.compile(r"q=0(\.0*)?")


class Precompressed:
    """ASGI middleware: requests the compressed file if there is one, and adds the encoding to the answer."""

    def __init__(self, app: ASGIApp, directory: Path) -> None:
        self.app = app
        # A build is replaced as a whole, and the server is restarted with it.
        self._files = {
            encoding: {f"/{path.relative_to(directory).as_posix()}" for path in _without(suffix, directory)}
            for encoding, suffix in SUFFIXES.items()
        }
        self._known = frozenset().union(*self._files.values())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with the path of the compressed file if the browser accepts it."""
        if scope["type"] != "http" or scope["path"] not in self._known:
            await self.app(scope, receive, send)
            return
        encoding = self._encoding_of(scope)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.add_vary_header("Accept-Encoding")
                if encoding is not None and message["status"] in (200, 206, 304):
                    headers["Content-Encoding"] = encoding
            await send(message)

        if encoding is not None:
            path = scope["path"] + SUFFIXES[encoding]
            scope = {**scope, "path": path, "raw_path": path.encode()}
        await self.app(scope, receive, with_headers)

    def _encoding_of(self, scope: Scope) -> str | None:
        offered = Headers(scope=scope).get("accept-encoding", "")
        accepted = {name.strip().lower() for name, _, weight in _parts(offered) if not NEVER.fullmatch(weight.strip())}
        return next((name for name in SUFFIXES if name in accepted and scope["path"] in self._files[name]), None)


def _without(suffix: str, directory: Path) -> list[Path]:
    return [path.with_suffix("") for path in directory.rglob(f"*{suffix}")]


def _parts(offered: str) -> list[tuple[str, str, str]]:
    return [part.partition(";") for part in offered.split(",")]
