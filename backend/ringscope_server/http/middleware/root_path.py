"""The path that a proxy puts before all paths of this server, such as /ringscope.

The proxy may keep it or remove it: the server accepts a path with it and without it.
"""

import re
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ringscope_server.http.ui import is_page

_LOADED = re.compile(r'((?:src|href)=")/')  # in index.html: what the page loads, from the root of the site


class RootPath:
    """ASGI middleware: removes the path from requests, and adds it to the Location of answers and to the page.

    Args:
        root: the path, without a slash at its end; "" changes nothing.
        page: the folder of the built page, None if it is not built.
    """

    def __init__(self, app: ASGIApp, root: str, page: Path | None) -> None:
        self.app = app
        self._root = root
        self._html = rooted((page / "index.html").read_text(), root) if root and page is not None else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on without the path, or answer it with the page."""
        if scope["type"] != "http" or not self._root:
            await self.app(scope, receive, send)
            return
        path = self._without_root(scope["path"])
        raw_path = scope.get("raw_path") or path.encode()
        scope = {**scope, "path": path, "raw_path": self._without_root(raw_path.decode("latin-1")).encode("latin-1")}

        if path == "/openapi.json":  # FastAPI then names the root as the document's server
            scope["root_path"] = self._root

        async def with_root(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                location = headers.get("location", "")
                if location.startswith("/") and not f"{location}/".startswith(f"{self._root}/"):
                    headers["location"] = self._root + location
            await send(message)

        if self._html is not None and scope["method"] in ("GET", "HEAD") and is_page(path):
            await HTMLResponse(self._html, headers={"Cache-Control": "no-cache"})(scope, receive, send)
            return
        await self.app(scope, receive, with_root)

    def _without_root(self, path: str) -> str:
        return path[len(self._root) :] or "/" if f"{path}/".startswith(f"{self._root}/") else path


def rooted(html: str, root: str) -> str:
    """Return the page with ``root`` before the path of each file that it loads."""
    return _LOADED.sub(rf"\g<1>{root}/", html)
